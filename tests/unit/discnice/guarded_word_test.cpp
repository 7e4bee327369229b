// SPDX-License-Identifier: MIT
// guarded_word_test: an instant stored in shared memory is read back unchanged, and damage is noticed.
//
// How: the test makes every possible change of a single byte in many words. Left out: changes of several bytes that
// happen to give a valid word.
#include "tools/discnice/protocol/guarded_word.hpp"

#include <random>

#include "tests/support/catch.hpp"

using namespace discnice::protocol;

TEST_CASE("an instant near now comes back as it was", "[guarded_word]") {
  std::mt19937_64 random(3);
  for (int i = 0; i < 10'000; ++i) {
    const std::uint64_t now_ns = (UINT64_C(1) << 52) * (random() % 3) + random() % (UINT64_C(1) << 52);
    const std::uint64_t ahead_ns = random() % kAheadMaxNs;
    REQUIRE(unpack_instant(pack_instant(now_ns + ahead_ns), now_ns) == now_ns + ahead_ns);
    const std::uint64_t back_ns = random() % (UINT64_C(20) * 24 * 3600 * 1'000'000'000);
    const std::uint64_t past_ns = now_ns > back_ns ? now_ns - back_ns : 0;
    REQUIRE(unpack_instant(pack_instant(past_ns), now_ns) == past_ns);
  }
}

TEST_CASE("a change of any one byte is read as now", "[guarded_word]") {
  std::mt19937_64 random(4);
  for (int i = 0; i < 200; ++i) {
    const std::uint64_t now_ns = random() % (UINT64_C(1) << 51);
    const std::uint64_t word = pack_instant(now_ns + random() % 1'000'000'000);
    for (unsigned byte = 0; byte < 8; ++byte) {
      for (std::uint64_t change = 1; change < 256; ++change) {
        REQUIRE(unpack_instant(word ^ (change << (8 * byte)), now_ns) == now_ns);
      }
    }
  }
}

TEST_CASE("an instant absurdly far ahead is read as now", "[guarded_word]") {
  constexpr std::uint64_t kNowNs = 1'000'000'000'000;
  CHECK(unpack_instant(pack_instant(kNowNs + kAheadMaxNs + 1), kNowNs) == kNowNs);
}
