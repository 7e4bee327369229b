// SPDX-License-Identifier: MIT
// other_disks_test: the memory card pays for erase blocks. The cloud volume keeps its caps and spends its credits.
#include "bench/hddsim/disk.hpp"
#include "tests/support/catch.hpp"

namespace {

using hddsim::make_disk;
using hddsim::Operation;
using hddsim::Profile;

constexpr std::uint64_t kGiB = 1ULL << 30U;

}  // namespace

TEST_CASE("a card reads everywhere alike and pays for opening an erase block", "[hddsim]") {
  Profile profile;
  profile.kind = hddsim::Kind::card;
  profile.command_ns = 300'000;
  profile.read_rate = 80'000'000;
  profile.write_rate = 20'000'000;
  profile.erase_block_bytes = 4U << 20U;
  profile.open_blocks = 2;
  profile.erase_ns = 60'000'000;
  const auto card = make_disk(profile, kGiB);
  const auto took = [&card](Operation operation, std::uint64_t offset) {
    static std::uint64_t now_ns = 0;
    const std::uint64_t start_ns = now_ns;
    now_ns = card->serve({operation, offset, 4096}, start_ns).end_ns;
    return now_ns - start_ns;
  };
  CHECK(took(Operation::read, 0) == 300'000 + 51'200);
  CHECK(took(Operation::read, kGiB / 2) == 300'000 + 51'200);
  constexpr std::uint64_t kOpenNs = 300'000 + 204'800;
  CHECK(took(Operation::write, 0) == kOpenNs + 60'000'000);
  CHECK(took(Operation::write, 4096) == kOpenNs);
  CHECK(took(Operation::write, 100U << 20U) == kOpenNs + 60'000'000);
  CHECK(took(Operation::write, 8192) == kOpenNs);  // two blocks are open
  CHECK(took(Operation::write, 200U << 20U) == kOpenNs + 60'000'000);
  // This block had been closed, because the other open block was written later.
  CHECK(took(Operation::write, 100U << 20U) == kOpenNs + 60'000'000);
}

TEST_CASE("a cloud volume serves a burst at once and then keeps to its cap", "[hddsim]") {
  Profile profile;
  profile.kind = hddsim::Kind::cloud;
  profile.latency_ns = 700'000;
  profile.operations_per_second = 500;
  profile.burst_operations = 1000;
  profile.operation_bytes = 256 * 1024;
  profile.rate = 60'000'000;
  profile.burst_bytes = 0;
  const auto volume = make_disk(profile, kGiB);
  std::uint64_t now_ns = 100'000'000'000;  // the volume was idle for long, so it has all credits
  const std::uint64_t start_ns = now_ns;
  for (unsigned i = 0; i < 1000; ++i)
    REQUIRE(volume->serve({Operation::read, 0, 512}, now_ns).end_ns <= now_ns + 700'000 + 10'000'000);
  for (unsigned i = 0; i < 500; ++i) now_ns = volume->serve({Operation::read, 0, 512}, now_ns).next_ns;
  CHECK(now_ns - start_ns == Approx(1'000'000'000).epsilon(0.02));
  const std::uint64_t large_ns = volume->serve({Operation::write, 0, 6'000'000}, now_ns).end_ns - now_ns;
  CHECK(large_ns >= 99'000'000);  // limited by bytes
}

TEST_CASE("a profile is read whole or refused with the place and the reason", "[hddsim]") {
  for (const std::string& name : hddsim::profile_names()) {
    INFO(name);
    CHECK(hddsim::read_profile(name).problem.empty());
  }
  CHECK(hddsim::profile_names().size() >= 5);
  CHECK(hddsim::parse_profile("kind = tape\n", "f").problem ==
        "f:1: kind 'tape' is none of mechanical, card, cloud");
  CHECK(hddsim::parse_profile("kind = card\nspeed = 3\n", "f").problem ==
        "f:2: 'speed' is no key of a profile");
  CHECK(hddsim::parse_profile("kind = card\nkind = card\n", "f").problem == "f:2: kind is given twice");
  CHECK(hddsim::parse_profile("kind = card\n", "f").problem == "f: there is no command_time");
  CHECK(hddsim::parse_profile("nonsense\n", "f").problem == "f:1: 'nonsense' is not of the form key = value");
  CHECK(hddsim::parse_profile("latency = 3 parsecs\n", "f").problem.rfind("f:1: latency: ", 0) == 0);
  CHECK(hddsim::read_profile("no-such-disk").problem.find("hdd7200") != std::string::npos);
}
