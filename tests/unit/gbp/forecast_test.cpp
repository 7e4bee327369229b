// SPDX-License-Identifier: MIT
// forecast_test: the bound 1 - C/S, the cached part, and when gbp says that an order gains nothing.
#include "tests/support/catch.hpp"

#include <vector>

#include "tools/gbp/forecast.hpp"

namespace {

constexpr double kDisk = 100e6;
constexpr double kMemory = 10e9;

gbp::Forecast of(std::uint64_t set, float cached, std::uint64_t memory) {
  std::vector<gbp::File> files(1);
  files[0].size_bytes = set;
  files[0].cached_fraction = cached;
  return gbp::forecast(files, files, memory, {kDisk, kMemory, {}});
}

}  // namespace

TEST_CASE("a set twice as large as memory: half of it a pass, and about twice as fast") {
  const auto forecast = of(2'000'000'000, 0.5F, 1'000'000'000);
  CHECK(forecast.disk_share_min == Approx(0.5));
  CHECK(forecast.gain_now == Approx(2).epsilon(0.05));
  CHECK(forecast.gain_repeated == Approx(2).epsilon(0.05));
  CHECK(forecast.verdict.find("expect 2.0x now") == 0);
}

TEST_CASE("all of it in memory, all of it fitting, nothing at all, or nearly nothing of it held: no win") {
  CHECK(of(1000, 1, 10'000).verdict == "no win: all of it is in memory");
  CHECK(of(1000, 0, 10'000).verdict.find("no win: it all fits") == 0);
  CHECK(of(0, 1, 10'000).verdict.find("no win: there is nothing") == 0);
  CHECK(of(1'000'000'000, 0.01F, 10'000'000).verdict.find("no win: memory holds too little") == 0);
}

TEST_CASE("what can't be known is not guessed") {
  const auto forecast = of(1'000'000'000, -1, 10'000'000);
  CHECK(forecast.unknown_bytes == 1'000'000'000);
  CHECK(forecast.verdict.find("cannot tell") == 0);
}
