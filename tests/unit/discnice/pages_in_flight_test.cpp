// SPDX-License-Identifier: MIT
// pages_in_flight_test: a requested page counts as being fetched for a while, and no longer.
#include "tools/discnice/descriptor/pages_in_flight.hpp"

#include "tests/support/catch.hpp"

using discnice::guest::PagesInFlight;

namespace {

constexpr std::uint64_t kNowNs = 5'000'000'000;

}  // namespace

TEST_CASE("a page is on its way from the read that asks for it until it must have come",
          "[pages_in_flight]") {
  PagesInFlight pages{};
  CHECK_FALSE(pages.is_kept());
  pages.keep();
  CHECK(pages.is_kept());
  CHECK_FALSE(pages.has(0, kNowNs));
  pages.add({8, 16}, kNowNs);
  CHECK_FALSE(pages.has(7, kNowNs));
  CHECK(pages.has(8, kNowNs));
  CHECK(pages.has(15, kNowNs + PagesInFlight::kArrivalMaxNs - 1));
  CHECK_FALSE(pages.has(15, kNowNs + PagesInFlight::kArrivalMaxNs));
  CHECK_FALSE(pages.has(16, kNowNs));
}

TEST_CASE("of more runs than there is room for the first ones are forgotten", "[pages_in_flight]") {
  PagesInFlight pages{};
  for (std::uint64_t i = 0; i < 5; ++i) pages.add({10 * i, 10 * i + 5}, kNowNs);
  CHECK_FALSE(pages.has(0, kNowNs));
  for (std::uint64_t i = 1; i < 5; ++i) CHECK(pages.has(10 * i + 4, kNowNs));
}
