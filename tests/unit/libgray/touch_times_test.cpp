// SPDX-License-Identifier: MIT
// touch_times_test: the time from which a touch counts as slow follows from the recorded times alone, if they are known.
//
// How: the test checks the arithmetic with times as on several hosts. It uses a record in a folder of its own, and the simulated memory for times that are
// measured during the test. Left out: the times of a real kernel (bench/mac).
#include "tests/support/catch.hpp"

#include "libgray/src/memory/touch_times.hpp"
#include "tests/unit/libgray/simulated_memory.hpp"
#include "tests/unit/toolbox/temporary_folder.hpp"

namespace simulated = gray::os::simulated;
using namespace gray::memory;

namespace {

TouchTimes flash_host() {
  TouchTimes times;
  times.again_ns = 30;
  times.fault_ns = 1'000;
  times.fresh_ns = 1'000;
  times.reclaim_ns = 400;
  times.out_ns = 4'000;
  times.in_ns = 100'000;
  return times;
}

}  // namespace

TEST_CASE("a bound lies between the slowest touch that pages nobody and the quickest that does") {
  const TouchBounds bounds = bounds_of(flash_host());
  CHECK(bounds.fault_ns == 500);
  CHECK(bounds.in_ns == 10'000);  // between 1 us and 100 us
  CHECK(bounds.out_ns > 1'000 + 32 * 400);
  CHECK(bounds.out_ns < 1'000 + 32 * 4'000);
}

TEST_CASE("swap that answers from memory, and a disk, have bounds of their own: no floor is typed in") {
  TouchTimes quick = flash_host();
  quick.in_ns = 3'000;
  quick.out_ns = 1'000;
  CHECK(bounds_of(quick).in_ns < 3'000);
  CHECK(bounds_of(quick).out_ns < 33'000);
  TouchTimes disk = flash_host();
  disk.in_ns = 8e6;
  CHECK(bounds_of(disk).in_ns > 50'000);
  TouchTimes slow = flash_host();  // for instance an emulator
  slow.again_ns = 3'000;
  slow.fault_ns = 40'000;
  CHECK(bounds_of(slow).in_ns > 40'000);
}

TEST_CASE("what was not measured is derived from the fault") {
  TouchTimes times;
  times.again_ns = 30;
  times.fault_ns = 1'000;
  CHECK(bounds_of(times).in_ns == 4'000);
  CHECK(bounds_of(times).out_ns > 33'000);
  CHECK(bounds_of(TouchTimes{}).in_ns >= 1);  // the clock did not move
}

TEST_CASE("a hypervisor that is late with fresh memory moves the bound for fresh memory alone") {
  TouchTimes times = flash_host();
  times.fresh_ns = 20'000;
  CHECK(bounds_of(times).out_ns >= 20 * bounds_of(flash_host()).out_ns);
  CHECK(bounds_of(times).in_ns == bounds_of(flash_host()).in_ns);
}

TEST_CASE("the record's figures are taken, and no shipped default") {
  CHECK(recorded_times(gray::repo::Repository({})).fault_ns == 0);
  const TemporaryFolder folder;
  gray::repo::Places places;
  places.user_path = folder.path("record");
  places.fingerprint = gray::repo::read_fingerprint();
  gray::repo::Repository repository(places);
  gray::repo::Changes changes;
  const auto measure = [&](const char* key, double value) {
    gray::repo::Parameter parameter;
    parameter.key = key;
    parameter.value = value;
    parameter.unit = "ns";
    changes.set.push_back(parameter);
  };
  measure("memory.retouch_ns", 5);
  measure("timer.overhead_ns", 20);
  measure("memory.touch_4k_ns", 900);
  measure("memory.reclaim_page_ns", 300);
  measure("memory.swap_out_page_ns", 3'000);
  measure("memory.swap_in_ns", 90'000);
  REQUIRE(repository.update(gray::repo::Source::kUser, changes).is_ok());
  const TouchTimes times = recorded_times(repository);
  CHECK(times.again_ns == 25);
  CHECK(times.fault_ns == 900);
  CHECK(times.reclaim_ns == 300);
  CHECK(times.out_ns == 3'000);
  CHECK(times.in_ns == 90'000);
}

TEST_CASE("touches are timed here, but for what the record told") {
  simulated::reset_memory();
  TouchTimes times;
  time_touches(times);
  CHECK(times.again_ns == 60);
  CHECK(times.fault_ns == 1'200);
  CHECK(times.fresh_ns == 1'200);
  TouchTimes recorded = flash_host();
  time_touches(recorded);
  CHECK(recorded.fault_ns == 1'000);
  CHECK(recorded.fresh_ns == 1'200);
  CHECK(simulated::memory().live_reservations_bytes == 0);
  simulated::memory().reserve_bytes_max = 0;
  TouchTimes none;
  time_touches(none);
  CHECK(none.fault_ns == 0);
}

TEST_CASE("pages put out tell what swap takes; those that stay, that there is none") {
  simulated::reset_memory();
  TouchTimes times;
  time_touches(times);
  CHECK(time_paging(times));
  CHECK(times.in_ns > 115'000);
  CHECK(times.in_ns < 128'000);
  CHECK(times.out_ns > 2'000);
  TouchTimes recorded = flash_host();
  CHECK(time_paging(recorded));
  CHECK(recorded.in_ns == 100'000);
  simulated::memory().has_swap = false;
  CHECK_FALSE(time_paging(recorded));
  simulated::memory().has_swap = true;
  simulated::memory().is_put_out_known = false;
  CHECK_FALSE(time_paging(recorded));
}
