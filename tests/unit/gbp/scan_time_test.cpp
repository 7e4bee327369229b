// SPDX-License-Identifier: MIT
// scan_time_test: the time of a scan is predicted from the missing bytes, the device and the order. Left out: how the speed of a device is measured
// (unit/libgray, script/bench gbp).
#include "tools/gbp/scan_time.hpp"

#include <vector>

#include "tests/support/catch.hpp"

using gbp::File;

namespace {

constexpr std::uint64_t kMB = 1'000'000;
constexpr double kMemory = 1e10;
constexpr std::uint64_t kDisk = 1;
constexpr std::uint64_t kServer = 2;

File file(std::uint64_t device, std::uint64_t megabytes, double cached_fraction,
          std::uint64_t extent_megabytes) {
  File made;
  made.device = device;
  made.size_bytes = megabytes * kMB;
  made.cached_fraction = static_cast<float>(cached_fraction);
  made.has_first_extent = true;
  made.first_extent_bytes = extent_megabytes * kMB;
  return made;
}

gbp::StoreSpeeds two_stores() {
  gbp::StoreSpeeds speeds;
  speeds[kDisk].speed = {8e6, 100e6};
  speeds[kServer].speed = {30e6, 10e6};
  return speeds;
}

double seconds(const std::vector<File>& files, bool is_cache_lost = false) {
  return gbp::scan_seconds(files, two_stores(), kMemory, is_cache_lost).value();
}

}  // namespace

TEST_CASE("each device has its own time, and what is cached costs next to none") {
  CHECK(seconds({file(kDisk, 100, 0, 0)}) == Approx(1.008));
  CHECK(seconds({file(kServer, 1, 0, 0)}) == Approx(0.130));
  CHECK(seconds({file(kDisk, 100, 1, 0)}) == Approx(0.01));
  CHECK(seconds({file(kDisk, 100, 0.5, 0)}) == Approx(0.513));
  CHECK(seconds({file(kDisk, 100, 1, 0)}, true) == Approx(1.008));
}

TEST_CASE("where the head goes on there is nowhere to get to") {
  const File first = file(kDisk, 10, 0, 100);
  const File next = file(kDisk, 10, 0, 110);
  CHECK(seconds({first, next}) == Approx(0.208));
  CHECK(seconds({next, first}) == Approx(0.216));
}

TEST_CASE("a short way is a shorter one where the seeks are measured") {
  gbp::StoreSpeeds speeds = two_stores();
  speeds[kDisk].seek = {1e6, 6e6, 8e6, 3e9};
  const auto took = [&](std::uint64_t second_at) {
    return gbp::scan_seconds({file(kDisk, 10, 0, 0), file(kDisk, 10, 0, second_at)}, speeds, kMemory, false)
        .value();
  };
  CHECK(took(10) == Approx(0.208));
  // The head moves by a hundredth of a third of the span. The time grows with the root of the distance, so a tenth of the difference between the average seek and the shortest seek
  // is added to the least time.
  CHECK(took(20) == Approx(0.208 + 0.0055));
  CHECK(took(1010) == Approx(0.208 + 0.010));  // a third
  CHECK(took(2900) == Approx(0.208 + 0.010));
}

TEST_CASE("what nobody knows is not predicted") {
  CHECK_FALSE(gbp::scan_seconds({file(7, 10, 0, 0)}, two_stores(), kMemory, false));
  CHECK(gbp::scan_seconds({file(7, 10, 1, 0)}, two_stores(), kMemory, false));
  CHECK_FALSE(gbp::scan_seconds({file(kDisk, 10, -1, 0)}, two_stores(), kMemory, false));
  CHECK(gbp::scan_seconds({}, two_stores(), kMemory, false) == 0.0);
  CHECK(gbp::scan_seconds({file(7, 0, -1, 0)}, two_stores(), kMemory, false) == 0.0);  // nothing to read
}
