// SPDX-License-Identifier: MIT
// shares_test: the shares add up to the whole, and the smallest demands are met first. Traffic under a budget reaches its rate.
#include <limits>
#include <numeric>

#include "tests/support/catch.hpp"
#include "tools/netnice/control/base_delay.hpp"
#include "tools/netnice/control/rate_budget.hpp"
#include "tools/netnice/control/shares.hpp"

namespace {

using netnice::BaseDelay;
using netnice::RateBudget;
using netnice::shares_of;

constexpr double kAll = std::numeric_limits<double>::infinity();
constexpr std::uint64_t kTickNs = 10'000'000;

double sum(const std::vector<double>& shares) {
  return std::accumulate(shares.begin(), shares.end(), 0.0);
}

}  // namespace

TEST_CASE("shares add up to the rate, however much is asked for", "[shares]") {
  for (const auto& demands :
       {std::vector<double>{kAll}, {kAll, kAll, kAll}, {10, kAll}, {900, 200}, {1000, 0, 1}})
    CHECK(sum(shares_of(1000, demands)) == Approx(1000));
  CHECK(sum(shares_of(1000, {})) == 0);
  CHECK(sum(shares_of(1000, {100, 200})) == Approx(300));
  CHECK(sum(shares_of(-1, {100, kAll})) == 0);
}

TEST_CASE("who asks for little gets it, the others share what is left", "[shares]") {
  CHECK(shares_of(1000, {kAll, 100, kAll}) == std::vector<double>{450, 100, 450});
  CHECK(shares_of(90, {30, 30, 30}) == std::vector<double>{30, 30, 30});
}

TEST_CASE("a budget makes up for what was let through too much or too little", "[rate_budget]") {
  for (const double factor : {0.8, 1.0, 1.2}) {
    RateBudget budget(1e6);
    double moved = 0;
    for (std::uint64_t tick = 1; tick <= 1000; ++tick) {
      const double now = budget.allowed_bytes_per_s() * factor * 0.01;
      moved += now;
      budget.see(tick * kTickNs, static_cast<std::uint64_t>(now));
    }
    INFO("factor " << factor);
    CHECK(moved == Approx(10e6).epsilon(0.02));
  }
}

TEST_CASE("a pause is made up for by a moment only", "[rate_budget]") {
  RateBudget budget(1e6);
  for (std::uint64_t tick = 1; tick <= 1000; ++tick) budget.see(tick * kTickNs, 0);
  double moved = 0;
  for (std::uint64_t tick = 1001; tick <= 1300; ++tick) {
    const double now = budget.allowed_bytes_per_s() * 0.01;
    moved += now;
    budget.see(tick * kTickNs, static_cast<std::uint64_t>(now));
  }
  CHECK(moved < 3.3e6);
}

TEST_CASE("the base is the least of late, and a pause makes nothing of it old", "[base_delay]") {
  BaseDelay base;
  CHECK(base.base_us() == 0);
  base.see(1, 0);
  CHECK(base.base_us() == 0);
  std::uint64_t now_ns = kTickNs;
  base.see(now_ns, 20'000);
  for (int i = 0; i < 300; ++i) base.see(now_ns += kTickNs, 30'000);
  CHECK(base.base_us() == 20'000);
  base.see(now_ns += 3600 * 1'000'000'000ULL, 30'000);
  CHECK(base.base_us() == 20'000);
  for (int i = 0; i < 1500; ++i) base.see(now_ns += kTickNs, 30'000);
  CHECK(base.base_us() == 30'000);
  base.see(now_ns += kTickNs, 10'000);
  CHECK(base.base_us() == 10'000);
}
