// SPDX-License-Identifier: MIT
// probe_plan_test: for every file size, probes lie where the plan promises.
//
// How: properties of the plan are checked for sizes around every border (a page, a unit, half a unit) and for
// many seeds. Left out: whether a probe of a unit represents the unit. This is the assumption of the paper and
// not of this code.
#include "tests/support/catch.hpp"

#include <algorithm>

#include "libgray/src/filecache/probe_plan.hpp"
#include "libgray/src/os/os.hpp"

using gray::filecache::kNearBytes;
using gray::filecache::kUnitsMax;
using gray::filecache::plan_anywhere;
using gray::filecache::plan_near;
using gray::filecache::plan_probes;
using gray::filecache::ProbePlanOptions;
using gray::os::kPageBytes;

namespace {

constexpr std::uint64_t kUnitBytes = 5'000'000;

ProbePlanOptions with_seed(std::uint64_t seed) {
  ProbePlanOptions options;
  options.prediction_unit_bytes = kUnitBytes;
  options.seed = seed;
  return options;
}

}  // namespace

TEST_CASE("a file of at most one page is not probed") {
  const std::uint64_t bytes = GENERATE(std::uint64_t{0}, std::uint64_t{1}, kPageBytes - 1, kPageBytes);
  CHECK(plan_probes(bytes, with_seed(1)).empty());
}

TEST_CASE("every probe lies inside the file, behind page 0, and one in each unit") {
  const std::uint64_t bytes =
      GENERATE(kPageBytes + 1, kUnitBytes - 1, kUnitBytes, kUnitBytes + 1, 2 * kUnitBytes, 7 * kUnitBytes,
               7 * kUnitBytes + kUnitBytes / 2, 7 * kUnitBytes + kUnitBytes - 1);
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto offsets = plan_probes(bytes, with_seed(seed));
    REQUIRE_FALSE(offsets.empty());
    for (std::size_t unit = 0; unit < offsets.size(); ++unit) {
      REQUIRE(offsets[unit] >= kPageBytes);
      REQUIRE(offsets[unit] < bytes);
      REQUIRE(offsets[unit] / kUnitBytes == unit);
    }
  }
}

TEST_CASE("the last, partial unit is probed from half a unit on, or when it is the only one") {
  CHECK(plan_probes(kPageBytes + 1, with_seed(1)).size() == 1);
  CHECK(plan_probes(kUnitBytes, with_seed(1)).size() == 1);
  CHECK(plan_probes(kUnitBytes + kUnitBytes / 2 - 1, with_seed(1)).size() == 1);
  CHECK(plan_probes(kUnitBytes + kUnitBytes / 2, with_seed(1)).size() == 2);
  CHECK(plan_probes(10 * kUnitBytes, with_seed(1)).size() == 10);
}

TEST_CASE("the same seed gives the same probes, another gives others") {
  const std::uint64_t bytes = 20 * kUnitBytes;
  CHECK(plan_probes(bytes, with_seed(3)) == plan_probes(bytes, with_seed(3)));
  CHECK(plan_probes(bytes, with_seed(3)) != plan_probes(bytes, with_seed(4)));
}

TEST_CASE("probes spread over the whole of a unit") {
  std::uint64_t lowest = kUnitBytes;
  std::uint64_t highest = 0;
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const std::uint64_t offset = plan_probes(kUnitBytes, with_seed(seed)).front();
    lowest = std::min(lowest, offset);
    highest = std::max(highest, offset);
  }
  CHECK(lowest < kUnitBytes / 20);
  CHECK(highest > kUnitBytes - kUnitBytes / 20);
}

TEST_CASE("several probes a unit are several in each unit") {
  ProbePlanOptions options = with_seed(1);
  options.probes_per_unit = 3;
  const auto offsets = plan_probes(4 * kUnitBytes, options);
  REQUIRE(offsets.size() == 12);
  for (std::size_t i = 0; i < offsets.size(); ++i) CHECK(offsets[i] / kUnitBytes == i / 3);
}

TEST_CASE("a unit smaller than a page is a page") {
  ProbePlanOptions options = with_seed(1);
  options.prediction_unit_bytes = 1;
  const auto offsets = plan_probes(4 * kPageBytes, options);
  REQUIRE(offsets.size() == 3);
  for (std::size_t i = 0; i < offsets.size(); ++i) CHECK(offsets[i] / kPageBytes == i + 1);
}

TEST_CASE("beyond the most units there are the units grow, up to the largest file and the largest unit") {
  const std::uint64_t bytes =
      GENERATE(kUnitsMax * kUnitBytes + 1, (std::uint64_t{1} << 63) - 1, ~std::uint64_t{0});
  const auto offsets = plan_probes(bytes, with_seed(1));
  REQUIRE(offsets.size() <= kUnitsMax);
  REQUIRE(offsets.size() >= kUnitsMax - 1);
  CHECK(std::is_sorted(offsets.begin(), offsets.end()));
  CHECK(offsets.back() < bytes);
  CHECK(offsets.back() > bytes - 2 * (bytes / kUnitsMax + 1));
  ProbePlanOptions huge_unit = with_seed(1);
  huge_unit.prediction_unit_bytes = ~std::uint64_t{0};
  CHECK(plan_probes(bytes, huge_unit).size() == 1);
}

TEST_CASE("a page near another, and one anywhere, lie in the stretch and behind page 0") {
  const std::uint64_t offset_bytes = GENERATE(std::uint64_t{0}, 8 * kUnitBytes);
  const std::uint64_t length_bytes = GENERATE(2 * kPageBytes, kNearBytes, 2 * kNearBytes + 5, kUnitBytes);
  const gray::filecache::Stretch stretch{offset_bytes, length_bytes};
  const std::uint64_t end = offset_bytes + length_bytes;
  std::uint64_t furthest = 0;
  for (std::uint64_t asked = offset_bytes + kPageBytes; asked < end; asked += 997) {
    const std::uint64_t near = plan_near(stretch, with_seed(asked), asked);
    const std::uint64_t anywhere = plan_anywhere(stretch, with_seed(asked), 1);
    REQUIRE(std::min(near, anywhere) >= std::max(offset_bytes, kPageBytes));
    REQUIRE(std::max(near, anywhere) < end);
    if (length_bytes > 2 * kNearBytes + kPageBytes)
      REQUIRE((near > asked ? near - asked : asked - near) == kNearBytes);
    furthest = std::max(furthest, anywhere - offset_bytes);
  }
  if (length_bytes == kUnitBytes) CHECK(furthest > kUnitBytes - kUnitBytes / 20);
  CHECK(plan_anywhere({0, kUnitBytes}, with_seed(1), 0) != plan_anywhere({0, kUnitBytes}, with_seed(1), 1));
}
