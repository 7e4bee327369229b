// SPDX-License-Identifier: MIT
// detector_test: each backend answers only if its answer is true, and costs as much as it reports.
//
// How: the detector runs on a simulated host whose page cache is known. So each answer is compared with the
// simulated cache, and each question to the host is counted. Left out: the real kernel (tests/system/gbp_order_test.sh) and noise in the latencies.
#include "tests/support/catch.hpp"

#include <algorithm>
#include <cerrno>
#include <string>
#include <vector>

#include "libgray/src/filecache/detector.hpp"
#include "tests/unit/libgray/simulated_os.hpp"

namespace simulated = gray::os::simulated;
using gray::filecache::Backend;
using gray::filecache::CacheReport;
using gray::filecache::Detector;
using gray::filecache::DetectorOptions;
using gray::os::kPageBytes;

namespace {

constexpr std::uint64_t kUnitPages = 100;

Detector detector_with(Backend backend) {
  DetectorOptions options;
  options.backend = backend;
  options.plan.prediction_unit_bytes = kUnitPages * kPageBytes;
  return Detector(options);
}

CacheReport look(Detector& detector, const char* path) {
  const auto report = detector.inspect(path);
  REQUIRE(report.is_ok());
  CHECK(simulated::host().open_files.empty());
  return report.value();
}

}  // namespace

TEST_CASE("where the kernel counts truly, its count is the answer and nothing is read") {
  simulated::reset();
  simulated::add_file("part", 200, 50);
  Detector detector = detector_with(Backend::automatic);
  const CacheReport report = look(detector, "part");
  CHECK(report.backend == Backend::cachestat);
  CHECK(report.cached_fraction == 0.25);
  CHECK(report.file_bytes == 200 * kPageBytes);
  CHECK(report.probes == 0);
  CHECK(simulated::host().reads == 0);
  CHECK(simulated::host().mincore_calls == 0);
}

TEST_CASE("a last page that is only begun counts as a page") {
  simulated::reset();
  simulated::File& file = simulated::add_file("odd", 3, 3);
  file.size_bytes = 2 * kPageBytes + 1;
  Detector detector = detector_with(Backend::automatic);
  CHECK(look(detector, "odd").cached_fraction == 1.0);
}

TEST_CASE("a kernel without cachestat is asked by mincore") {
  simulated::reset();
  simulated::host().has_cachestat = false;
  simulated::add_file("half", 64, 32);
  Detector detector = detector_with(Backend::automatic);
  const CacheReport report = look(detector, "half");
  CHECK(report.backend == Backend::mincore);
  CHECK(report.cached_fraction == 0.5);
  CHECK(simulated::host().reads == 0);
}

TEST_CASE("a count of 0 is believed after one read has proved the device's counts, once a device") {
  simulated::reset();
  simulated::add_file("cold", 200, 0);
  simulated::add_file("cold too", 200, 0);
  simulated::add_file("elsewhere", 200, 0).device = 2;
  Detector detector = detector_with(Backend::automatic);
  const CacheReport first = look(detector, "cold");
  CHECK(first.backend == Backend::cachestat);
  CHECK(first.cached_fraction == 0);
  CHECK(simulated::host().pages_brought_in == 1);
  CHECK(look(detector, "cold too").cached_fraction == 0);
  CHECK(simulated::host().pages_brought_in == 1);
  CHECK(look(detector, "elsewhere").cached_fraction == 0);
  CHECK(simulated::host().pages_brought_in == 2);
}

TEST_CASE("a count above 0 proves its device without any read") {
  simulated::reset();
  simulated::add_file("warm", 200, 1);
  simulated::add_file("cold", 200, 0);
  Detector detector = detector_with(Backend::automatic);
  look(detector, "warm");
  CHECK(look(detector, "cold").backend == Backend::cachestat);
  CHECK(simulated::host().reads == 0);
}

TEST_CASE("on overlay, where cachestat always says 0, the self-test finds it out once and mincore answers") {
  simulated::reset();
  simulated::host().overlay_devices = {1};
  simulated::add_file("warm", 200, 200);
  simulated::add_file("cold", 200, 0);
  Detector detector = detector_with(Backend::automatic);
  const CacheReport warm = look(detector, "warm");
  CHECK(warm.backend == Backend::mincore);
  CHECK(warm.cached_fraction == 1);
  const std::uint64_t reads = simulated::host().reads;
  CHECK(reads == 1);
  CHECK(look(detector, "cold").cached_fraction == 0);
  CHECK(simulated::host().reads == reads);
}

TEST_CASE("on overlay a demand for cachestat ends in unknown, never in 0") {
  simulated::reset();
  simulated::host().overlay_devices = {1};
  simulated::add_file("warm", 200, 200);
  Detector detector = detector_with(Backend::cachestat);
  const CacheReport report = look(detector, "warm");
  CHECK(report.backend == Backend::none);
  CHECK(report.cached_fraction < 0);
}

TEST_CASE("mincore is never asked of a file that is not trusted, whatever is demanded") {
  const Backend backend = GENERATE(Backend::automatic, Backend::mincore, Backend::cachestat, Backend::timed);
  simulated::reset();
  simulated::add_file("foreign", 400, 0).is_trusted = false;
  Detector detector = detector_with(backend);
  const CacheReport report = look(detector, "foreign");
  CHECK(simulated::host().mincore_calls == 0);
  CHECK(report.cached_fraction <= 0);
  const bool may_probe = backend == Backend::automatic || backend == Backend::timed;
  CHECK(report.backend == (may_probe ? Backend::timed : Backend::none));
}

TEST_CASE("whose a file is is asked only where mincore would be believed") {
  simulated::reset();
  simulated::add_file("counted", 400, 100);
  Detector detector = detector_with(Backend::automatic);
  CHECK(look(detector, "counted").backend == Backend::cachestat);
  CHECK(simulated::host().trust_questions == 0);
  simulated::host().has_cachestat = false;
  CHECK(look(detector, "counted").backend == Backend::mincore);
  CHECK(simulated::host().trust_questions == 1);
}

TEST_CASE("timed probes tell cold, warm and half-warm files apart and bring in one page each") {
  simulated::reset();
  simulated::add_file("cold", 400, 0).is_trusted = false;
  simulated::add_file("half", 400, 200).is_trusted = false;
  simulated::add_file("warm", 400, 400).is_trusted = false;
  Detector detector = detector_with(Backend::automatic);
  const CacheReport cold = look(detector, "cold");
  CHECK(cold.cached_fraction == 0);
  CHECK(cold.probes == 4);
  CHECK(cold.probe_time_ns == 4 * simulated::host().miss_time_ns);
  CHECK(simulated::host().pages_brought_in == 4);
  CHECK(look(detector, "half").cached_fraction == 0.5);
  CHECK(simulated::host().pages_brought_in == 6);
  const CacheReport warm = look(detector, "warm");
  CHECK(warm.cached_fraction == 1);
  CHECK(warm.probe_time_ns == 4 * simulated::host().hit_time_ns);
  CHECK(simulated::host().pages_brought_in == 6);
}

TEST_CASE("pages that were taken out of a warm file do not make it a cold one, wherever they were") {
  const Backend backend = GENERATE(Backend::automatic, Backend::timed, Backend::nowait, Backend::fault);
  const std::uint64_t hole_pages = GENERATE(std::uint64_t{1}, std::uint64_t{24});
  simulated::reset();
  simulated::host().has_nowait = true;
  simulated::host().has_fault_around = true;
  for (std::uint64_t hole = 1; hole + hole_pages <= 90; ++hole) {
    simulated::File& file = simulated::add_file("warm", 90, 90);
    file.is_trusted = false;
    file.inode = 1000 + hole;
    for (std::uint64_t page = hole; page < hole + hole_pages; ++page) file.resident.erase(page);
    Detector detector = detector_with(backend);
    REQUIRE(look(detector, "warm").cached_fraction >= 0.5);
  }
}

TEST_CASE("a page that somebody looked at does not make a cold file a warm one") {
  const Backend backend = GENERATE(Backend::automatic, Backend::timed, Backend::nowait);
  simulated::reset();
  simulated::host().has_nowait = true;
  for (std::uint64_t known = 1; known < 90; ++known) {
    simulated::File& file = simulated::add_file("cold", 90, 0);
    file.is_trusted = false;
    file.inode = 1000 + known;
    file.resident = {known};
    Detector detector = detector_with(backend);
    REQUIRE(look(detector, "cold").cached_fraction < 0.5);
    REQUIRE(simulated::host().pages_brought_in <= 3);
    simulated::host().pages_brought_in = 0;
  }
}

TEST_CASE("two probes that agree are enough, and where there is one page only, one is") {
  simulated::reset();
  simulated::host().has_nowait = true;
  simulated::add_file("warm", 90, 90).is_trusted = false;
  simulated::add_file("cold", 90, 0).is_trusted = false;
  simulated::add_file("two pages", 2, 2).is_trusted = false;
  Detector detector = detector_with(Backend::automatic);
  const CacheReport warm = look(detector, "warm");
  CHECK(warm.probes == 2);
  CHECK(look(detector, "cold").probes == 2);
  CHECK(simulated::host().pages_brought_in == 2);
  const CacheReport small = look(detector, "two pages");
  CHECK(small.probes == 1);
  CHECK(small.confidence < warm.confidence);
}

TEST_CASE("a miss is checked by the end of the file, which fetches nothing") {
  simulated::reset();
  simulated::host().has_nowait = true;
  simulated::host().has_fault_around = true;
  simulated::add_file("warm", 90, 90).is_trusted = false;
  for (const char* name : {"cold", "cold too"}) simulated::add_file(name, 90, 0).is_trusted = false;
  simulated::File& begun = simulated::add_file("its end was read", 2000, 0);
  begun.is_trusted = false;
  for (std::uint64_t page = 1985; page < 2000; ++page) begun.resident.insert(page);
  DetectorOptions options;
  options.plan.prediction_unit_bytes = 4000 * kPageBytes;
  Detector detector(options);
  CHECK(look(detector, "its end was read").cached_fraction < 0.5);
  CHECK(simulated::host().pages_brought_in == 3);  // one probe finds a cached page, three find a missing page
  for (const char* name : {"cold", "cold too"}) {
    const CacheReport cold = look(detector, name);
    CHECK(cold.cached_fraction == 0);
    CHECK(cold.probes == 2);
    CHECK(cold.backend == Backend::nowait);
  }
  CHECK(simulated::host().pages_brought_in == 5);
  const std::uint64_t calls = simulated::host().end_calls;
  CHECK(look(detector, "warm").cached_fraction == 1);
  CHECK(simulated::host().end_calls == calls);
}

TEST_CASE("a file of fifteen pages is counted by its end, the first page too, and none is fetched") {
  const std::uint64_t pages = GENERATE(std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{15});
  simulated::reset();
  simulated::host().has_nowait = true;
  simulated::host().has_fault_around = true;
  simulated::add_file("warm", pages, pages).is_trusted = false;
  simulated::add_file("cold", pages, 0).is_trusted = false;
  simulated::add_file("begun", pages, 1).is_trusted = false;
  simulated::add_file("longer", 16, 16).is_trusted = false;
  Detector detector = detector_with(Backend::automatic);
  for (const char* name : {"warm", "cold", "begun"}) {
    const CacheReport report = look(detector, name);
    CHECK(report.backend == Backend::end);
    CHECK(report.confidence == 1);
    const auto resident = static_cast<double>(simulated::host().files.at(name).resident.size());
    CHECK(report.cached_fraction == resident / static_cast<double>(pages));
  }
  CHECK(simulated::host().pages_brought_in == 0);
  CHECK(look(detector, "longer").backend == Backend::nowait);
}

TEST_CASE("a host that shows no ends is found out once, and is not asked again") {
  simulated::reset();
  simulated::host().has_nowait = true;
  simulated::host().has_fault_around = true;
  simulated::host().is_mapping_alone = true;
  simulated::add_file("warm", 10, 10).is_trusted = false;
  simulated::add_file("cold", 10, 0).is_trusted = false;
  Detector detector = detector_with(Backend::automatic);
  CHECK(look(detector, "warm").cached_fraction == 1);
  const std::uint64_t calls = simulated::host().end_calls;
  CHECK(look(detector, "cold").cached_fraction == 0);
  CHECK(simulated::host().end_calls == calls);
}

TEST_CASE("the page that proved a file system's ends is never taken for somebody else's") {
  simulated::reset();
  simulated::host().has_fault_around = true;
  simulated::add_file("cold", 3, 0).is_trusted = false;
  Detector detector = detector_with(Backend::end);
  CHECK(look(detector, "cold").cached_fraction == 0);
  CHECK(simulated::host().pages_brought_in == 1);
  const CacheReport again = look(detector, "cold");
  CHECK(again.cached_fraction == 0);
  CHECK(again.confidence < 1);
}

TEST_CASE("a warm file is not taken for a cold one when a probe loses its processor") {
  simulated::reset();
  simulated::add_file("warm", 60, 60).is_trusted = false;
  simulated::host().robbed_reads = {0};
  Detector detector = detector_with(Backend::automatic);
  const CacheReport report = look(detector, "warm");
  CHECK(report.cached_fraction == 1);
  CHECK(report.probes == 3);  // the page of the delayed read, the page beside it, and another page elsewhere
  CHECK(simulated::host().pages_brought_in == 0);
}

TEST_CASE("a cold file is not taken for a warm one when a certain hit loses its processor") {
  const std::uint64_t robbed = GENERATE(std::uint64_t{1}, std::uint64_t{2});
  simulated::reset();
  simulated::add_file("cold", 60, 0).is_trusted = false;
  simulated::host().robbed_reads = {robbed};
  Detector detector = detector_with(Backend::automatic);
  CHECK(look(detector, "cold").cached_fraction == 0);
  CHECK(simulated::host().pages_brought_in == 2);
}

TEST_CASE("on a host that tells of no sleep, time alone decides, at two pages a probe of a cold unit") {
  const std::uint64_t pages = GENERATE(std::uint64_t{2}, std::uint64_t{3}, std::uint64_t{60});
  simulated::reset();
  simulated::host().is_sleep_told = false;
  simulated::add_file("cold", pages, 0).is_trusted = false;
  simulated::add_file("warm", pages, pages).is_trusted = false;
  Detector detector = detector_with(Backend::automatic);
  CHECK(look(detector, "cold").cached_fraction == 0);
  CHECK(simulated::host().pages_brought_in == std::min<std::uint64_t>(pages - 1, 4));
  CHECK(look(detector, "warm").cached_fraction == 1);
}

TEST_CASE("a page that a doubtful probe fetched beside its own is never taken for somebody else's") {
  simulated::reset();
  simulated::host().is_sleep_told = false;
  simulated::add_file("cold", 3, 0).is_trusted = false;
  Detector detector = detector_with(Backend::automatic);
  for (int i = 0; i < 4; ++i) CHECK(look(detector, "cold").cached_fraction <= 0);
}

TEST_CASE("a file whose reads bypass the page cache is unknown, never warm") {
  simulated::reset();
  simulated::host().is_sleep_told = GENERATE(true, false);
  simulated::File& file = simulated::add_file("direct", 400, 0);
  file.is_trusted = false;
  file.is_cache_bypassed = true;
  Detector detector = detector_with(Backend::automatic);
  const CacheReport report = look(detector, "direct");
  CHECK(report.cached_fraction < 0);
  CHECK(report.backend == Backend::none);
  CHECK(report.probes == 0);
}

TEST_CASE("a demand for timed probes asks the kernel for no count") {
  simulated::reset();
  simulated::add_file("warm", 400, 400);
  Detector detector = detector_with(Backend::timed);
  CHECK(look(detector, "warm").backend == Backend::timed);
  CHECK(simulated::host().cachestat_calls + simulated::host().mincore_calls == 0);
}

TEST_CASE("a file of one page that only probing could tell of is unknown, and is not read") {
  simulated::reset();
  simulated::add_file("small", 1, 1).is_trusted = false;
  Detector detector = detector_with(Backend::automatic);
  const CacheReport report = look(detector, "small");
  CHECK(report.cached_fraction < 0);
  CHECK(report.backend == Backend::none);
  CHECK(simulated::host().reads == 0);
}

TEST_CASE("an empty file is as good as cached, by every backend") {
  const Backend backend = GENERATE(Backend::automatic, Backend::cachestat, Backend::mincore, Backend::timed);
  simulated::reset();
  simulated::add_file("empty", 0, 0);
  Detector detector = detector_with(backend);
  CHECK(look(detector, "empty").cached_fraction == 1);
  CHECK(simulated::host().reads == 0);
}

TEST_CASE("what is not a regular file is unknown and never opened") {
  simulated::reset();
  simulated::add_file("fifo", 0, 0).is_regular = false;
  Detector detector = detector_with(Backend::automatic);
  CHECK(look(detector, "fifo").cached_fraction < 0);
  CHECK(simulated::host().opens == 0);
}

TEST_CASE("a file that shrank after it was looked at is judged by the probes that still hit it, or unknown") {
  simulated::reset();
  simulated::File& file = simulated::add_file("shrunk", 400, 400);
  file.is_trusted = false;
  file.size_once_open_bytes = 200 * kPageBytes;
  simulated::File& gone = simulated::add_file("emptied", 400, 0);
  gone.is_trusted = false;
  gone.size_once_open_bytes = 0;
  Detector detector = detector_with(Backend::automatic);
  const CacheReport report = look(detector, "shrunk");
  CHECK(report.probes == 2);
  CHECK(report.cached_fraction == 1);
  CHECK(look(detector, "emptied").cached_fraction < 0);
}

TEST_CASE("a self-test that a shrinking file spoiled says nothing about the device") {
  simulated::reset();
  simulated::add_file("emptied", 400, 0).size_once_open_bytes = 0;
  simulated::add_file("cold", 400, 0);
  Detector detector = detector_with(Backend::automatic);
  look(detector, "emptied");
  CHECK(look(detector, "cold").backend == Backend::cachestat);
}

TEST_CASE("a missing and an unreadable file give the host's error") {
  simulated::reset();
  simulated::add_file("secret", 10, 0).open_error = -EACCES;
  Detector detector = detector_with(Backend::automatic);
  CHECK(detector.inspect("none").error() == -ENOENT);
  CHECK(detector.inspect("secret").error() == -EACCES);
}

TEST_CASE("where neither count exists, files are probed") {
  simulated::reset();
  simulated::host().has_cachestat = false;
  simulated::host().has_mincore = false;
  simulated::add_file("warm", 400, 400);
  Detector detector = detector_with(Backend::automatic);
  CHECK(look(detector, "warm").backend == Backend::timed);
}

TEST_CASE("a file of the largest size there is costs a bounded number of questions") {
  simulated::reset();
  const bool is_trusted = GENERATE(true, false);
  simulated::host().has_cachestat = false;
  simulated::File& file = simulated::add_file("sparse", 1, 0);
  file.size_bytes = (std::uint64_t{1} << 63) - 1;
  file.is_trusted = is_trusted;
  Detector detector = detector_with(Backend::automatic);
  const CacheReport report = look(detector, "sparse");
  CHECK(report.backend == Backend::timed);  // mincore would need a map of every page
  CHECK(simulated::host().mincore_calls == 0);
  CHECK(simulated::host().reads <= 3 * gray::filecache::kUnitsMax);
}

TEST_CASE("where reads can be refused instead of waiting, that answers for files of somebody else") {
  simulated::reset();
  simulated::host().has_nowait = true;
  simulated::add_file("warm", 1000, 1000).is_trusted = false;
  simulated::add_file("cold", 1000, 0).is_trusted = false;
  Detector detector = detector_with(Backend::automatic);
  CHECK(look(detector, "warm").cached_fraction == 1);
  const CacheReport cold = look(detector, "cold");
  CHECK(cold.backend == Backend::nowait);
  CHECK(cold.cached_fraction == 0);
  CHECK(simulated::host().pages_brought_in == 10);
  CHECK(simulated::host().fault_calls == 0);
}

TEST_CASE("a mapping tells of sixteen pages at the price of one") {
  simulated::reset();
  simulated::host().has_fault_around = true;
  simulated::File& half = simulated::add_file("half", 1600, 0);
  half.is_trusted = false;
  for (std::uint64_t page = 0; page < 1600; page += 2) half.resident.insert(page);
  Detector detector = detector_with(Backend::automatic);
  const CacheReport report = look(detector, "half");
  CHECK(report.backend == Backend::fault);
  CHECK(report.cached_fraction == Approx(0.5).margin(0.05));
  CHECK(report.probes == 16);
}

TEST_CASE("a host that maps no neighbours is found out once, and time answers") {
  simulated::reset();
  simulated::host().has_fault_around = true;
  simulated::host().is_mapping_alone = true;
  simulated::add_file("warm", 1000, 1000).is_trusted = false;
  simulated::add_file("cold", 1000, 0).is_trusted = false;
  Detector detector = detector_with(Backend::automatic);
  const CacheReport warm = look(detector, "warm");
  CHECK(warm.backend == Backend::timed);
  CHECK(warm.cached_fraction == 1);
  const std::uint64_t calls = simulated::host().fault_calls;
  CHECK(look(detector, "cold").cached_fraction == 0);
  CHECK(simulated::host().fault_calls == calls);
}

TEST_CASE("a second look is not fooled by the pages that the first one brought in") {
  const Backend backend = GENERATE(Backend::timed, Backend::nowait, Backend::fault);
  simulated::reset();
  simulated::host().has_nowait = true;
  simulated::host().has_fault_around = true;
  simulated::add_file("tiny", 3, 0).is_trusted = false;
  Detector detector = detector_with(backend);
  CHECK(look(detector, "tiny").cached_fraction <= 0.5);
  const double again = look(detector, "tiny").cached_fraction;
  CHECK(again <= 0.5);
  // The detector itself has brought in both pages that may be probed.
  CHECK(look(detector, "tiny").cached_fraction < 0);
  simulated::host().seconds += gray::filecache::kOwnSeconds + 1;
  CHECK(look(detector, "tiny").cached_fraction > 0.5);  // the detector has forgotten its own probes
}

TEST_CASE("probing ends when its misses have brought in the budget, and the rest is unknown") {
  simulated::reset();
  DetectorOptions options;
  options.backend = Backend::timed;
  options.plan.prediction_unit_bytes = kUnitPages * kPageBytes;
  options.probe_budget_bytes = 4 * kPageBytes;
  Detector detector(options);
  simulated::add_file("one", 1000, 0);
  simulated::add_file("two", 1000, 0);
  CHECK(look(detector, "one").probes == 4);
  CHECK(look(detector, "two").cached_fraction < 0);
  CHECK(simulated::host().pages_brought_in == 4);
}

TEST_CASE("with a budget of less than a page nothing is read, not even to prove a count of 0") {
  simulated::reset();
  DetectorOptions options;
  options.probe_budget_bytes = 1;
  Detector detector(options);
  simulated::add_file("mine", 200, 0);
  simulated::add_file("another's", 200, 0).is_trusted = false;
  CHECK(look(detector, "mine").backend == Backend::mincore);
  CHECK(look(detector, "another's").cached_fraction < 0);
  CHECK(simulated::host().reads == 0);
  simulated::add_file("warm", 200, 200);
  CHECK(look(detector, "warm").backend == Backend::cachestat);
  CHECK(simulated::host().pages_brought_in == 0);
}

TEST_CASE("a count is certain, more probes are surer than few, none are sure") {
  simulated::reset();
  simulated::add_file("mine", 1000, 1000);
  simulated::add_file("small", 100, 100).is_trusted = false;
  simulated::add_file("large", 3000, 3000).is_trusted = false;
  Detector detector = detector_with(Backend::automatic);
  CHECK(look(detector, "mine").confidence == 1);
  const double few = look(detector, "small").confidence;
  const double many = look(detector, "large").confidence;
  CHECK(few > 0.4);
  CHECK(many > few);
  CHECK(many < 1);
}

TEST_CASE("the parts of a file come cached first, each kind as it lies, and hold whole records") {
  simulated::reset();
  simulated::File& file = simulated::add_file("big", 1000, 0);
  for (std::uint64_t page = 500; page < 750; ++page) file.resident.insert(page);
  Detector detector = detector_with(Backend::automatic);
  gray::filecache::UnitOptions options;
  options.access_unit_bytes = 250 * kPageBytes;
  std::vector<gray::filecache::Unit> units;
  REQUIRE(detector.plan("big", options, units) == 0);
  REQUIRE(units.size() == 4);
  CHECK(units[0].stretch.offset_bytes == 500 * kPageBytes);
  CHECK(units[0].cache.cached_fraction == 1);
  CHECK(units[1].stretch.offset_bytes == 0);
  CHECK(units[2].stretch.offset_bytes == 250 * kPageBytes);
  CHECK(units[3].stretch.offset_bytes == 750 * kPageBytes);
  options.record_bytes = 99;
  std::uint64_t bytes = 0;
  REQUIRE(detector.plan("big", options, units) == 0);
  for (const auto& unit : units) {
    CHECK(unit.stretch.offset_bytes % 99 == 0);
    bytes += unit.stretch.length_bytes;
  }
  CHECK(bytes == 1000 * kPageBytes);
  options.extents = {{kPageBytes, 10}, {1000 * kPageBytes, 10}, {999 * kPageBytes, 2 * kPageBytes}};
  REQUIRE(detector.plan("big", options, units) == 0);
  REQUIRE(units.size() == 2);
  CHECK(units[0].stretch.length_bytes == kPageBytes);  // the last page, which the self-test has read in
  CHECK(detector.plan("none", options, units) == -ENOENT);
}

TEST_CASE("the sparsest file has no more parts than can be held") {
  const auto units = gray::filecache::divide(std::uint64_t{1} << 63U, {});
  CHECK(units.size() <= gray::filecache::kAccessUnitsMax);
  std::uint64_t bytes = 0;
  for (const auto& unit : units) bytes += unit.length_bytes;
  CHECK(bytes == std::uint64_t{1} << 63U);
  CHECK(gray::filecache::divide(0, {}).empty());
}

TEST_CASE("a unit's access time is that of the reads that say what it is") {
  simulated::reset();
  simulated::add_file("cold", 400, 0).is_trusted = false;
  simulated::add_file("warm", 400, 400).is_trusted = false;
  Detector detector = detector_with(Backend::timed);
  CHECK(look(detector, "cold").access_ns == simulated::host().miss_time_ns);
  CHECK(look(detector, "warm").access_ns == simulated::host().hit_time_ns);
  Detector counting = detector_with(Backend::cachestat);
  simulated::add_file("counted", 400, 400);
  CHECK(look(counting, "counted").access_ns == 0);  // no read was timed
}

TEST_CASE("what was learned of a device predicts what its files take") {
  simulated::reset();
  simulated::Host& host = simulated::host();
  host.miss_time_ns = 8'000'000;
  host.page_time_ns = 20'000;
  simulated::add_file("learned", 256, 0);
  simulated::add_file("cold", 512, 0);
  simulated::add_file("half", 512, 256);
  simulated::add_file("warm", 512, 512);
  Detector detector = detector_with(Backend::automatic);
  const auto descriptor = [](const char* name) { return gray::os::open_file(name).value(); };
  CHECK(detector.predict(descriptor("cold"), {0, 512 * gray::os::kPageBytes}).error() == -ENODATA);
  CHECK(detector.learn(descriptor("warm"), 1 << 20).value() == 0);
  CHECK(detector.learn(descriptor("half"), 2 << 20).value() == 0);
  CHECK(detector.learn(descriptor("learned"), 1 << 20).value() == 256 * gray::os::kPageBytes);
  const auto cold = detector.predict(descriptor("cold"), {0, 512 * gray::os::kPageBytes}).value();
  CHECK(cold.missing_bytes >= 511 * gray::os::kPageBytes);  // the test of the count may have read a page
  CHECK(cold.speed.access_ns == Approx(8e6).epsilon(0.01));
  CHECK(cold.read_ns == Approx(8e6 + 512 * 20'000).epsilon(0.01));
  const auto half = detector.predict(descriptor("half"), {0, 512 * gray::os::kPageBytes}).value();
  CHECK(half.missing_bytes == 256 * gray::os::kPageBytes);
  CHECK(half.read_ns == Approx(8e6 + 256 * 20'000).epsilon(0.01));
  CHECK(detector.predict(descriptor("warm"), {0, 512 * gray::os::kPageBytes}).value().missing_bytes == 0);
  CHECK(detector.predict(descriptor("cold"), {600 * gray::os::kPageBytes, 4096}).value().read_ns ==
        0);  // after its end
}

TEST_CASE("a threshold that was measured on a faster host gives way to the hits that are seen") {
  simulated::reset();
  simulated::Host& host = simulated::host();
  host.hit_time_ns = 8'000;
  host.miss_time_ns = 9'000'000;
  for (int i = 0; i < 20; ++i) simulated::add_file("warm" + std::to_string(i), 40, 40).is_trusted = false;
  simulated::add_file("cold", 40, 0).is_trusted = false;
  DetectorOptions options;
  options.backend = Backend::timed;
  options.hit_time_max_ns = 5'000;
  Detector detector(options);
  for (int i = 0; i < 19; ++i) look(detector, ("warm" + std::to_string(i)).c_str());
  CHECK(look(detector, "warm19").cached_fraction == 1);
  CHECK(look(detector, "cold").cached_fraction == 0);
}
