// SPDX-License-Identifier: MIT
// batches_test: batches keep the order, their size limit and, if requested, the waves. Left out: running the commands.
#include "tests/support/catch.hpp"

#include <string>
#include <vector>

#include "tools/gbp/batches.hpp"

namespace {

std::vector<gbp::File> files(const std::vector<float>& shares) {
  std::vector<gbp::File> made(shares.size());
  for (std::size_t i = 0; i < shares.size(); ++i) {
    made[i].path = "1234567";  // 16 bytes, with its NUL and a pointer
    made[i].cached_fraction = shares[i];
  }
  return made;
}

using Ends = std::vector<std::size_t>;

}  // namespace

TEST_CASE("a batch takes what fits, and at least one name") {
  CHECK(gbp::batch_ends(files({0, 0, 0, 0, 0}), false, 32) == Ends{2, 4, 5});
  CHECK(gbp::batch_ends(files({0, 0}), false, 1) == Ends{1, 2});
  CHECK(gbp::batch_ends({}, false, 100).empty());
}

TEST_CASE("with waves a batch ends where the cached ones do") {
  CHECK(gbp::batch_ends(files({1, 1, 0.2F, 0}), true, 1000) == Ends{2, 4});
  CHECK(gbp::batch_ends(files({1, 1, 0.2F, 0}), false, 1000) == Ends{4});
  CHECK(gbp::batch_ends(files({0, 0}), true, 1000) == Ends{2});
}
