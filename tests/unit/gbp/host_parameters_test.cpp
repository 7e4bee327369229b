// SPDX-License-Identifier: MIT
// host_parameters_test: which unit and threshold gbp takes from a repository, depending on the known values and their devices.
//
// How: flags replace records, because both come from a repository. Left out: the files (toolbox/repo has its tests).
#include "tools/gbp/host_parameters.hpp"

#include "tests/support/catch.hpp"

using gbp::choose_host_parameters;

namespace {

gray::repo::Repository with(const std::vector<const char*>& flags) {
  gray::repo::Repository repository(gray::repo::Places{});
  for (const char* flag : flags) REQUIRE(repository.set_flag(flag).empty());
  return repository;
}

}  // namespace

TEST_CASE("without a measured host the library's own defaults hold") {
  const auto parameters = choose_host_parameters(with({}), "uuid:a");
  CHECK(parameters.prediction_unit_bytes == 0);
  CHECK(parameters.hit_time_max_ns == 0);
}

TEST_CASE("the unit is the larger of access unit and window, of this device, within bounds") {
  const auto repository =
      with({"disk.access_unit_bytes@uuid:a=4194304", "disk.readahead_max_bytes@uuid:a=8388608",
            "disk.access_unit_bytes@uuid:b=4096", "disk.access_unit_bytes@uuid:c=1e9"});
  CHECK(choose_host_parameters(repository, "uuid:a").prediction_unit_bytes == 8388608);
  CHECK(choose_host_parameters(repository, "uuid:b").prediction_unit_bytes == 1048576);
  CHECK(choose_host_parameters(repository, "uuid:c").prediction_unit_bytes == 33554432);
  CHECK(choose_host_parameters(repository, "uuid:d").prediction_unit_bytes == 0);
}

TEST_CASE("a unit that was set goes before what was measured") {
  const auto repository = with({"filecache.prediction_unit_bytes=12345", "disk.access_unit_bytes=4194304"});
  CHECK(choose_host_parameters(repository, "").prediction_unit_bytes == 12345);
}

TEST_CASE("a threshold is that of the device; one that is no time is not used") {
  CHECK(choose_host_parameters(with({"cache.threshold_ns@uuid:a=9000"}), "uuid:a").hit_time_max_ns == 9000);
  CHECK(choose_host_parameters(with({"cache.threshold_ns@uuid:a=9000"}), "uuid:b").hit_time_max_ns == 0);
  CHECK(choose_host_parameters(with({"cache.threshold_ns=0"}), "").hit_time_max_ns == 0);
  CHECK(choose_host_parameters(with({"cache.threshold_ns=1e300"}), "").hit_time_max_ns == 0);
}

TEST_CASE("a file is read out of order in units of 20 MiB, of three windows, or as it was set") {
  constexpr std::uint64_t kMiB = 1U << 20U;
  CHECK(choose_host_parameters(with({}), "").access_unit_bytes == 20 * kMiB);
  CHECK(choose_host_parameters(with({"disk.readahead_max_bytes=8388608"}), "").access_unit_bytes ==
        24 * kMiB);
  CHECK(choose_host_parameters(with({"disk.access_unit_bytes=1e12"}), "").access_unit_bytes == 128 * kMiB);
  CHECK(choose_host_parameters(with({"filecache.access_unit_bytes=100000"}), "").access_unit_bytes == 100000);
}

TEST_CASE("what a seek costs is told only where it was measured") {
  CHECK(choose_host_parameters(with({}), "").random_over_sequential == 0);
  CHECK(choose_host_parameters(with({"disk.random_over_sequential@uuid:a=250"}), "uuid:a")
            .random_over_sequential == 250);
}

TEST_CASE(
    "where no threshold is known a cached read timed just now gives one, and one that came from no cache "
    "does not") {
  using gray::base::Result;
  using gray::timing::CachedRead;
  const gray::filecache::TimeHit quick = [] { return Result<CachedRead>(CachedRead{400, 30'000}); };
  const gray::filecache::TimeHit slow = [] { return Result<CachedRead>(CachedRead{5'000, 30'000}); };
  const gray::filecache::TimeHit uncached = [] { return Result<CachedRead>(CachedRead{50'000, 30'000}); };
  const gray::filecache::TimeHit failing = [] { return Result<CachedRead>::failure(-13); };
  CHECK(choose_host_parameters(with({}), "uuid:a", quick).hit_time_max_ns == 10'400);
  CHECK(choose_host_parameters(with({}), "uuid:a", slow).hit_time_max_ns == 30'000);
  CHECK(choose_host_parameters(with({}), "uuid:a", uncached).hit_time_max_ns == 0);
  CHECK(choose_host_parameters(with({}), "uuid:a", failing).hit_time_max_ns == 0);
  CHECK(choose_host_parameters(with({"cache.threshold_ns=9000"}), "uuid:a", quick).hit_time_max_ns == 9'000);
}
