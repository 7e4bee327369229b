// SPDX-License-Identifier: MIT
// levels_test: the division into levels, through the public interface. Left out: its quality (unit/toolbox).
#include <cerrno>
#include <cstdint>
#include <vector>

#include "libgray/include/gray/levels.h"
#include "tests/support/catch.hpp"

TEST_CASE("levels are found, named by number and freed") {
  std::vector<std::uint64_t> times_ns(50, 900);
  times_ns.insert(times_ns.end(), 50, 8'000'000);
  gb_levels_t* levels = nullptr;
  REQUIRE(gb_levels_find(times_ns.data(), times_ns.size(), 0, &levels) == 0);
  REQUIRE(gb_levels_count(levels) == 2);
  gb_level level{};
  level.size = sizeof level;
  REQUIRE(gb_levels_level(levels, 1, &level) == 0);
  CHECK(level.count == 50);
  CHECK(level.high_ns == UINT64_MAX);
  CHECK(gb_levels_of(levels, 1000) == 0);
  CHECK(gb_levels_of(levels, 9'000'000) == 1);
  CHECK(gb_levels_level(levels, 2, &level) == -EINVAL);
  level.size = 8;
  CHECK(gb_levels_level(levels, 0, &level) == -EINVAL);
  gb_levels_free(levels);
}

TEST_CASE("what makes no sense is refused, and nothing is no level") {
  gb_levels_t* levels = nullptr;
  CHECK(gb_levels_find(nullptr, 3, 0, &levels) == -EINVAL);
  CHECK(levels == nullptr);
  CHECK(gb_levels_find(nullptr, 0, 0, nullptr) == -EINVAL);
  REQUIRE(gb_levels_find(nullptr, 0, 0, &levels) == 0);
  CHECK(gb_levels_count(levels) == 0);
  CHECK(gb_levels_of(levels, 5) == 0);
  gb_levels_free(levels);
  gb_levels_free(nullptr);
  CHECK(gb_levels_count(nullptr) == 0);
}
