// SPDX-License-Identifier: MIT
// cache_test: which settings a detector uses, through the public interface: the caller's, the record's, or values that are measured at once.
//
// How: a variable replaces a record, because both come from the repository. Left out: the results with these settings (unit/libgray).
#include <cerrno>
#include <cstdlib>

#include "libgray/include/gray/cache.h"
#include "tests/support/catch.hpp"

namespace {

gb_cache_settings explained(const gb_cache_options& options) {
  gb_cache_t* detector = nullptr;
  REQUIRE(gb_cache_open(&options, &detector) == 0);
  gb_cache_settings settings{};
  settings.size = sizeof settings;
  CHECK(gb_cache_explain(detector, "/", &settings) == 0);
  gb_cache_close(detector);
  return settings;
}

gb_cache_options nothing_asked() {
  gb_cache_options options{};
  options.size = sizeof options;
  return options;
}

}  // namespace

TEST_CASE("what was recorded goes before the library's own, and what the caller says before both") {
  setenv("GRAY_PARAM_CACHE_THRESHOLD_NS", "12345", 1);
  setenv("GRAY_PARAM_FILECACHE_PREDICTION_UNIT_BYTES", "3000000", 1);
  setenv("GRAY_PARAM_FILECACHE_ACCESS_UNIT_BYTES", "7000000", 1);
  gb_cache_options options = nothing_asked();
  gb_cache_settings settings = explained(options);
  CHECK(settings.hit_time_max_ns == 12345);
  CHECK(settings.hit_time_origin == GB_ORIGIN_RECORD);
  CHECK(settings.prediction_unit_bytes == 3000000);
  CHECK(settings.prediction_unit_origin == GB_ORIGIN_RECORD);
  CHECK(settings.access_unit_bytes == 7000000);
  CHECK(settings.access_unit_origin == GB_ORIGIN_RECORD);
  options.hit_time_max_ns = 99;
  options.prediction_unit_bytes = 4096;
  settings = explained(options);
  CHECK(settings.hit_time_max_ns == 99);
  CHECK(settings.hit_time_origin == GB_ORIGIN_CALLER);
  CHECK(settings.prediction_unit_bytes == 4096);
  CHECK(settings.prediction_unit_origin == GB_ORIGIN_CALLER);
  unsetenv("GRAY_PARAM_CACHE_THRESHOLD_NS");
  unsetenv("GRAY_PARAM_FILECACHE_PREDICTION_UNIT_BYTES");
  unsetenv("GRAY_PARAM_FILECACHE_ACCESS_UNIT_BYTES");
}

TEST_CASE("without a record a hit is timed on the spot") {
  setenv("XDG_DATA_HOME", "/nowhere", 1);
  const gb_cache_settings settings = explained(nothing_asked());
  // A host's own record in /var/lib/gray may have this value.
  CHECK(settings.hit_time_origin != GB_ORIGIN_CALLER);
  CHECK(settings.hit_time_origin != GB_ORIGIN_LIBRARY);
  CHECK(settings.hit_time_max_ns > 0);
  CHECK(settings.access_unit_bytes > 0);
  CHECK(settings.prediction_unit_bytes > 0);
  unsetenv("XDG_DATA_HOME");
}

TEST_CASE("to explain nothing, or into too little, is refused") {
  gb_cache_t* detector = nullptr;
  REQUIRE(gb_cache_open(nullptr, &detector) == 0);
  gb_cache_settings settings{};
  CHECK(gb_cache_explain(detector, "/", &settings) == -EINVAL);
  settings.size = sizeof settings;
  CHECK(gb_cache_explain(nullptr, "/", &settings) == -EINVAL);
  CHECK(gb_cache_explain(detector, nullptr, &settings) == -EINVAL);
  CHECK(gb_cache_explain(detector, "/", nullptr) == -EINVAL);
  gb_cache_close(detector);
}
