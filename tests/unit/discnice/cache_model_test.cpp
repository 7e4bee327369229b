// SPDX-License-Identifier: MIT
// cache_model_test: the resident run around the file pointer is found, and the answer is used for the right time.
//
// How: seeded random residency patterns are made, and the answers are compared with a page-by-page count. Left
// out: the cost of the answers on a real kernel; system tests measure it.
#include "tools/discnice/predictor/cache_model.hpp"

#include <algorithm>
#include <random>

#include "tests/support/catch.hpp"
#include "tests/unit/discnice/simulated_file.hpp"

using namespace discnice;
using namespace discnice::predictor;
using discnice::test::kNowNs;
using discnice::test::SimulatedFile;

namespace {

constexpr std::uint64_t kPages = 3000;
// The whole region, its first page, and a bisection: 2^11 > kRegionPages.
constexpr std::uint64_t kBisectionQuestionsMax = 14;

// Resident stretches of all lengths, so that runs end at every place that a bisection may ask about.
SimulatedFile random_file(std::mt19937_64& random) {
  SimulatedFile file(kPages * kPageBytes);
  const std::uint64_t longest = UINT64_C(1) << (random() % 12);
  for (std::uint64_t page = random() % 3; page < kPages;) {
    const std::uint64_t end = page + 1 + random() % longest;
    file.set(page, end);
    const std::uint64_t gap_max = random() % 2 == 0 ? 3 : longest;
    page = end + random() % gap_max;
  }
  return file;
}

std::uint64_t run_by_hand(const SimulatedFile& file, std::uint64_t first_page, std::uint64_t page_count_max) {
  std::uint64_t run = 0;
  while (run < page_count_max && run < kRegionPages && file.is_resident(first_page + run)) ++run;
  return run;
}

std::uint64_t run_before_by_hand(const SimulatedFile& file, std::uint64_t page,
                                 std::uint64_t page_count_max) {
  std::uint64_t run = 0;
  while (run < page_count_max && run < page && file.is_resident(page - run - 1)) ++run;
  return run;
}

}  // namespace

TEST_CASE("counting finds the exact length of a resident run in few questions", "[cache_model]") {
  std::mt19937_64 random(41);
  for (int round = 0; round < 4000; ++round) {
    SimulatedFile file = random_file(random);
    const std::uint64_t first_page = random() % kPages;
    const std::uint64_t page_count_max = random() % (kPages - first_page + 1);
    INFO("round " << round << ": page " << first_page << ", at most " << page_count_max);
    const std::uint64_t run = resident_run(file.counting(), first_page, page_count_max);
    REQUIRE(run == run_by_hand(file, first_page, page_count_max));
    REQUIRE(file.questions() <= kBisectionQuestionsMax);
  }
}

TEST_CASE("counting finds every length of a run, from none to the whole region", "[cache_model]") {
  for (std::uint64_t length = 0; length <= kRegionPages + 1; ++length) {
    SimulatedFile file(kPages * kPageBytes);
    file.set(100, 100 + length);
    REQUIRE(resident_run(file.counting(), 100, kPages - 100) == std::min(length, kRegionPages));
  }
}

TEST_CASE("counting backwards finds the exact run before a page", "[cache_model]") {
  std::mt19937_64 random(43);
  for (int round = 0; round < 4000; ++round) {
    SimulatedFile file = random_file(random);
    const std::uint64_t page = random() % (kPages + 1);
    const std::uint64_t page_count_max = random() % 2100;
    INFO("round " << round << ": page " << page << ", at most " << page_count_max);
    const std::uint64_t run = resident_run_before(file.counting(), page, page_count_max);
    REQUIRE(run == run_before_by_hand(file, page, page_count_max));
    REQUIRE(file.questions() <= kBisectionQuestionsMax);
  }
}

TEST_CASE("a run of no pages is asked for in no questions", "[cache_model]") {
  SimulatedFile file(kPages * kPageBytes);
  file.set(0, kPages);
  CHECK(resident_run(file.counting(), 5, 0) == 0);
  CHECK(resident_run_before(file.counting(), 0, 100) == 0);
  CHECK(resident_run_before(file.counting(), 100, 0) == 0);
  CHECK(count_absent(file.counting(), 5, 0) == 0);
  CHECK(file.questions() == 0);
}

TEST_CASE("one probe vouches for each stretch, and the first miss ends the run", "[cache_model]") {
  SimulatedFile file(kPages * kPageBytes);
  SECTION("all resident: as many probes as stretches") {
    file.set(0, kPages);
    CHECK(resident_run(file.probing(), 7, kPages - 7) == kRegionPages);
    CHECK(file.questions() == kRegionPages / kStretchPages);
  }
  SECTION("resident up to the middle of the second stretch: the first one is believed") {
    file.set(7, 7 + kStretchPages + kStretchPages / 2);
    CHECK(resident_run(file.probing(), 7, kPages - 7) == kStretchPages);
    CHECK(file.questions() == 2);
  }
  SECTION("nothing resident: one probe, and it brought its page in") {
    CHECK(resident_run(file.probing(), 7, kPages - 7) == 0);
    CHECK(file.questions() == 1);
    CHECK(file.count(0, kPages) == 1);
  }
  SECTION("a run shorter than a stretch is probed at its end") {
    file.set(7, 17);
    CHECK(resident_run(file.probing(), 7, 10) == 10);
    CHECK(file.questions() == 1);
  }
}

TEST_CASE("what a probed run promises ends at a page that was seen resident", "[cache_model]") {
  std::mt19937_64 random(47);
  for (int round = 0; round < 2000; ++round) {
    SimulatedFile file = random_file(random);
    const SimulatedFile before = file;
    const std::uint64_t first_page = random() % kPages;
    const std::uint64_t page_count_max = random() % (kPages - first_page + 1);
    const std::uint64_t run = resident_run(file.probing(), first_page, page_count_max);
    REQUIRE(run <= page_count_max);
    REQUIRE(file.questions() <= kRegionPages / kStretchPages);
    for (std::uint64_t end = kStretchPages; end < run; end += kStretchPages) {
      REQUIRE(before.is_resident(first_page + end - 1));
    }
    if (run > 0) REQUIRE(before.is_resident(first_page + run - 1));
  }
}

TEST_CASE("an unknown answer of a probe is not taken for a hit", "[cache_model]") {
  const ResidencyOracle oracle{nullptr, nullptr, [](void*, std::uint64_t) { return Answer::unknown; }};
  CHECK(resident_run(oracle, 0, 100) == 0);
}

TEST_CASE("an oracle that cannot count makes every page absent and every history short", "[cache_model]") {
  SimulatedFile file(kPages * kPageBytes);
  file.set(0, kPages);
  CHECK(count_absent(file.probing(), 3, 50) == 50);
  CHECK(resident_run_before(file.probing(), 50, 50) == 0);
  CHECK(resident_run(ResidencyOracle{}, 0, 50) == 0);
  CHECK(file.questions() == 0);
}

TEST_CASE("absent pages are counted exactly, and never below zero for an oracle that counts too much",
          "[cache_model]") {
  SimulatedFile file(kPages * kPageBytes);
  file.set(10, 20);
  CHECK(count_absent(file.counting(), 5, 10) == 5);
  CHECK(count_absent(file.counting(), 10, 10) == 0);
  const ResidencyOracle liar{
      nullptr, [](void*, std::uint64_t, std::uint64_t page_count) { return page_count + 5; }, nullptr};
  CHECK(count_absent(liar, 0, 10) == 0);
}

TEST_CASE("a belief covers its pages until its lease ends", "[cache_model]") {
  Belief belief;
  CHECK_FALSE(belief.covers(0, 0));
  believe(belief, 10, 20, kNowNs);
  CHECK_FALSE(belief.covers(9, kNowNs));
  CHECK(belief.covers(10, kNowNs));
  CHECK(belief.covers(19, kNowNs));
  CHECK_FALSE(belief.covers(20, kNowNs));
  CHECK(belief.covers(10, kNowNs + kBeliefLeaseNs - 1));
  CHECK_FALSE(belief.covers(10, kNowNs + kBeliefLeaseNs));
}

TEST_CASE("a run that touches the believed one joins it, any other takes its place", "[cache_model]") {
  Belief belief;
  believe(belief, 100, 200, kNowNs);
  const auto becomes = [&](std::uint64_t first_page, std::uint64_t end_page, std::uint64_t first_wanted,
                           std::uint64_t end_wanted) {
    Belief changed = belief;
    believe(changed, first_page, end_page, kNowNs + 1);
    CHECK(changed.first_page == first_wanted);
    CHECK(changed.end_page == end_wanted);
    CHECK(changed.expires_ns == kNowNs + 1 + kBeliefLeaseNs);
  };
  becomes(200, 300, 100, 300);
  becomes(50, 100, 50, 200);
  becomes(120, 130, 100, 200);
  becomes(50, 300, 50, 300);
  becomes(201, 300, 201, 300);
  becomes(10, 99, 10, 99);
}

TEST_CASE("nothing is joined to a belief whose lease has ended", "[cache_model]") {
  Belief belief;
  believe(belief, 100, 200, kNowNs);
  believe(belief, 200, 300, kNowNs + kBeliefLeaseNs);
  CHECK(belief.first_page == 200);
  CHECK(belief.end_page == 300);
}
