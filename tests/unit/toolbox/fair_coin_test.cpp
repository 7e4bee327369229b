// SPDX-License-Identifier: MIT
// fair_coin_test: the tail probability of a fair coin agrees with GSL's, for every number of throws for which it is exact.
#include "toolbox/base/fair_coin.hpp"

#include <algorithm>
#include <vector>

#include "tests/support/catch.hpp"
#include "toolbox/stats/sign_test.hpp"

using namespace gray::base;

TEST_CASE("the tail is that of the paired sign test", "[fair_coin]") {
  for (unsigned throws = 1; throws <= kThrowsMax; ++throws) {
    for (unsigned heads = 0; heads <= throws; ++heads) {
      std::vector<double> first(throws, 0);
      std::vector<double> second(throws, -1);
      std::fill(second.begin(), second.begin() + heads, 1);
      const auto test = gray::stats::paired_sign_test(first, second);
      REQUIRE(test);
      const double tail = heads_or_more(std::max(heads, throws - heads), throws);
      CHECK(std::min(1.0, 2 * tail) == Approx(test.value().p_value).epsilon(1e-9));
    }
  }
}

TEST_CASE("no heads are certain, more than were thrown impossible, and long rows go by their share",
          "[fair_coin]") {
  CHECK(heads_or_more(0, 0) == 1);
  CHECK(heads_or_more(0, 7) == Approx(1));
  CHECK(heads_or_more(8, 7) == 0);
  CHECK(heads_or_more(5, 5) == 1.0 / 32);
  CHECK(heads_or_more(7, 8) == 9.0 / 256);
  CHECK(heads_or_more(1000, 1000) == heads_or_more(kThrowsMax, kThrowsMax));
}
