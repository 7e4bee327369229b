// SPDX-License-Identifier: MIT
// mechanical_disk_test: the emulated disk obeys its profile: seek curve, rotation, zones, buffer, write cache.
#include "bench/hddsim/mechanical_disk.hpp"

#include <algorithm>
#include <random>

#include "tests/support/catch.hpp"

namespace {

using hddsim::Geometry;
using hddsim::MechanicalDisk;
using hddsim::Operation;
using hddsim::Profile;
using hddsim::Request;
using hddsim::Service;

constexpr std::uint64_t kGiB = 1ULL << 30U;
constexpr std::uint64_t kTurnNs = 60'000'000'000 / 7200;

Profile plain() {
  Profile profile;
  profile.command_ns = 50'000;
  profile.rotations_per_minute = 7200;
  profile.seek_min_ns = 1'000'000;
  profile.seek_average_ns = 6'000'000;
  profile.seek_max_ns = 10'000'000;
  profile.outer_rate = profile.inner_rate = 100'000'000;
  profile.buffer_bytes = 256 * 1024;
  profile.interface_rate = 300'000'000;
  return profile;
}

Service read(MechanicalDisk& disk, std::uint64_t offset, std::uint64_t length, std::uint64_t now_ns) {
  return disk.serve({Operation::read, offset, length}, now_ns);
}

Service write(MechanicalDisk& disk, std::uint64_t offset, std::uint64_t length, std::uint64_t now_ns) {
  return disk.serve({Operation::write, offset, length}, now_ns);
}

}  // namespace

TEST_CASE("the seek curve goes through its three points and never falls", "[hddsim]") {
  const Geometry geometry(plain(), 8 * kGiB);
  const std::uint64_t last = geometry.track_of(8 * kGiB - 1);
  CHECK(geometry.seek_ns(7, 7) == 0);
  CHECK(geometry.seek_ns(0, 1) == Approx(1'000'000).epsilon(0.1));
  CHECK(geometry.seek_ns(0, last / 3) == Approx(6'000'000).epsilon(0.01));
  CHECK(geometry.seek_ns(last, 0) == Approx(10'000'000).epsilon(0.01));
  for (std::uint64_t track = 1; track < last; track += 97) {
    REQUIRE(geometry.seek_ns(0, track) <= geometry.seek_ns(0, track + 1));
    REQUIRE(geometry.seek_ns(track, 0) == geometry.seek_ns(0, track));
  }
}

TEST_CASE("the platters turn: a byte comes by once a turn, bytes of a track one after the other",
          "[hddsim]") {
  const Geometry geometry(plain(), 8 * kGiB);
  const std::uint64_t wait_ns = geometry.rotation_ns(12'345'678, 1'000'000);
  CHECK(wait_ns < kTurnNs);
  CHECK(geometry.rotation_ns(12'345'678, 1'000'000 + wait_ns) == 0);
  CHECK(geometry.rotation_ns(12'345'678, 1'000'000 + 5 * kTurnNs) == wait_ns);
  const std::uint64_t half_track = 100'000'000 / 120 / 2;
  CHECK(geometry.rotation_ns(half_track, 0) == Approx(kTurnNs / 2).epsilon(0.01));
}

TEST_CASE("outer zones pass faster than inner ones", "[hddsim]") {
  Profile profile = plain();
  profile.outer_rate = 200'000'000;
  profile.zones = 4;
  const Geometry geometry(profile, 4 * kGiB);
  CHECK(geometry.transfer_ns(0, 100'000'000) == Approx(500'000'000).epsilon(0.01));
  CHECK(geometry.transfer_ns(4 * kGiB - 100'000'000, 100'000'000) == Approx(1'000'000'000).epsilon(0.01));
  CHECK(geometry.transfer_ns(kGiB - 50'000'000, 100'000'000) ==
        Approx(250'000'000 + 300'000'000).epsilon(0.01));
  const std::uint64_t time_ns = geometry.transfer_ns(123'456, 3 * kGiB);
  CHECK(geometry.passed_bytes(123'456, time_ns) == Approx(3.0 * kGiB).epsilon(0.001));
}

TEST_CASE("sequential reads run at the speed of the platters, or of the commands when those are small",
          "[hddsim]") {
  const std::uint64_t length = GENERATE(4096U, 65536U, 1048576U);
  MechanicalDisk disk(plain(), 8 * kGiB);
  std::uint64_t now_ns = read(disk, 0, length, 0).end_ns;
  const std::uint64_t start_ns = now_ns;
  constexpr std::uint64_t kBytes = 64U << 20U;
  for (std::uint64_t offset = length; offset < kBytes; offset += length)
    now_ns = read(disk, offset, length, now_ns).end_ns;
  const double rate = static_cast<double>(kBytes - length) / static_cast<double>(now_ns - start_ns) * 1e9;
  // Each command costs 50 us, and its transfer over the interface.
  const double commands_rate = static_cast<double>(length) / (50e-6 + static_cast<double>(length) / 300e6);
  CHECK(rate == Approx(std::min(100'000'000.0, commands_rate)).epsilon(0.02));
}

TEST_CASE("a reader that pauses finds its buffer full, and then waits for the platters", "[hddsim]") {
  MechanicalDisk disk(plain(), 8 * kGiB);
  std::uint64_t now_ns = read(disk, 0, 65536, 0).end_ns + 1'000'000'000;
  Service service = read(disk, 65536, 65536, now_ns);
  CHECK(service.is_buffered);
  CHECK(service.end_ns - now_ns == Approx(50'000 + 218'453).epsilon(0.01));
  service = read(disk, 131072, 1 << 20, service.end_ns);  // beyond the 256 KiB in the buffer
  CHECK_FALSE(service.is_buffered);
  CHECK(service.seek_ns == 0);
  CHECK(service.rotation_ns < kTurnNs);
}

TEST_CASE("random reads take a seek, half a turn on average, and the transfer", "[hddsim]") {
  MechanicalDisk disk(plain(), 8 * kGiB);
  std::mt19937_64 random(1);
  std::uniform_int_distribution<std::uint64_t> anywhere(0, 8 * kGiB / 4096 - 1);
  constexpr unsigned kReads = 20'000;
  double rotation_ns = 0;
  double seek_ns = 0;
  std::uint64_t now_ns = 0;
  for (unsigned i = 0; i < kReads; ++i) {
    const Service service = read(disk, anywhere(random) * 4096, 4096, now_ns);
    REQUIRE(service.end_ns == now_ns + 50'000 + service.seek_ns + service.rotation_ns + service.transfer_ns);
    rotation_ns += static_cast<double>(service.rotation_ns);
    seek_ns += static_cast<double>(service.seek_ns);
    now_ns = service.end_ns;
  }
  CHECK(rotation_ns / kReads == Approx(kTurnNs / 2.0).epsilon(0.02));
  // The distance x of two random places has the density 2(1 - x). The expected value is the mean of the curve over this density, integrated by hand.
  CHECK(seek_ns / kReads == Approx(5'592'600).epsilon(0.02));
}

TEST_CASE("without a write cache a write is over when it is on the platter; a sequential one misses its turn",
          "[hddsim]") {
  MechanicalDisk disk(plain(), 8 * kGiB);
  const Service first = write(disk, 1 << 20, 4096, 0);
  const Service second = write(disk, (1 << 20) + 4096, 4096, first.end_ns);
  CHECK(second.seek_ns == 0);
  CHECK(second.rotation_ns == Approx(kTurnNs - 50'000).epsilon(0.01));
}

TEST_CASE("a write cache takes writes at once, serves reads of them, and a flush brings all to the platters",
          "[hddsim]") {
  Profile profile = plain();
  profile.write_cache_bytes = 8U << 20U;
  MechanicalDisk disk(profile, 8 * kGiB);
  std::uint64_t now_ns = 0;
  for (unsigned i = 0; i < 100; ++i) {
    const Service service = write(disk, (i * 7919ULL % 100) * (64U << 20U), 4096, now_ns);
    REQUIRE(service.is_buffered);
    now_ns = service.end_ns;
  }
  CHECK(now_ns < 10'000'000);
  CHECK(read(disk, 3 * (64ULL << 20U), 4096, now_ns).is_buffered);
  const Service flushed = disk.serve({Operation::flush, 0, 0}, now_ns);
  CHECK(flushed.end_ns - now_ns > 100 * 1'000'000);  // a hundred places, each with at least the shortest seek
  const Service again = disk.serve({Operation::flush, 0, 0}, flushed.end_ns);
  CHECK(again.end_ns == flushed.end_ns + 50'000);
}

TEST_CASE("an idle disk empties its write cache by itself", "[hddsim]") {
  Profile profile = plain();
  profile.write_cache_bytes = 8U << 20U;
  MechanicalDisk disk(profile, 8 * kGiB);
  std::uint64_t now_ns = 0;
  for (unsigned i = 0; i < 50; ++i) now_ns = write(disk, i * (64ULL << 20U), 4096, now_ns).end_ns;
  now_ns += 5'000'000'000;
  CHECK(disk.serve({Operation::flush, 0, 0}, now_ns).end_ns == now_ns + 50'000);
}

TEST_CASE("a full write cache slows writers to the speed of the platters", "[hddsim]") {
  Profile profile = plain();
  profile.write_cache_bytes = 4U << 20U;
  MechanicalDisk disk(profile, 8 * kGiB);
  std::uint64_t now_ns = 0;
  constexpr std::uint64_t kBytes = 256U << 20U;
  for (std::uint64_t offset = 0; offset < kBytes; offset += 1U << 20U)
    now_ns = write(disk, offset, 1U << 20U, now_ns).end_ns;
  const double rate = static_cast<double>(kBytes) / static_cast<double>(now_ns) * 1e9;
  CHECK(rate < 105'000'000);
  CHECK(rate > 40'000'000);
}
