// SPDX-License-Identifier: MIT
// replay_cache_test: the set of pages that count as resident, compared with a plain list of pages.
#include "tools/discnice/cli/replay_cache.hpp"

#include <random>
#include <vector>

#include "tests/support/catch.hpp"

namespace {

using discnice::FileId;
using discnice::cli::ReplayCache;

TEST_CASE("pages added and removed at random are counted as a plain list counts them") {
  constexpr std::uint64_t kPages = 60;
  std::mt19937 random(7);
  ReplayCache cache;
  std::vector<char> plain(kPages, 0);
  const FileId file{1, 2};
  for (int step = 0; step < 5000; ++step) {
    const std::uint64_t first = random() % kPages;
    const std::uint64_t end = first + random() % (kPages + 1 - first);
    const bool is_addition = random() % 2 == 0;
    is_addition ? cache.add(file, first, end) : cache.remove(file, first, end);
    for (std::uint64_t page = first; page < end; ++page) plain[page] = is_addition ? 1 : 0;
    const std::uint64_t asked_first = random() % kPages;
    const std::uint64_t asked_end = asked_first + random() % (kPages + 1 - asked_first);
    std::uint64_t expected = 0;
    for (std::uint64_t page = asked_first; page < asked_end; ++page) expected += plain[page] != 0 ? 1U : 0U;
    REQUIRE(cache.count(file, asked_first, asked_end) == expected);
  }
  CHECK(cache.count({1, 3}, 0, kPages) == 0);
}

}  // namespace
