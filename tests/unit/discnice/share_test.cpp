// SPDX-License-Identifier: MIT
// share_test: divides one rate among jobs.
//
// How: claims are put in, and the grants are checked against the properties of a fair division. Left out: the callers and the times of their calls
// (the launcher's keeper).
#include "tools/discnice/policy/share.hpp"

#include <algorithm>
#include <random>
#include <vector>

#include "tests/support/catch.hpp"

using namespace discnice::policy;

namespace {

std::vector<std::uint64_t> divided(std::uint64_t total, std::vector<Claim> claims) {
  divide(total, claims.data(), claims.size());
  std::vector<std::uint64_t> grants;
  for (const Claim& claim : claims) grants.push_back(claim.granted_bytes_per_s);
  return grants;
}

}  // namespace

TEST_CASE("jobs that want all get parts by weight", "[share]") {
  CHECK(divided(900, {{1, UINT64_MAX}, {2, UINT64_MAX}}) == std::vector<std::uint64_t>{300, 600});
  CHECK(divided(900, {{1, UINT64_MAX}}) == std::vector<std::uint64_t>{900});
  CHECK(divided(900, {{0, UINT64_MAX}, {1, UINT64_MAX}}) == std::vector<std::uint64_t>{450, 450});
}

TEST_CASE("what one job leaves over goes to the others", "[share]") {
  CHECK(divided(900, {{1, 100}, {1, UINT64_MAX}, {1, UINT64_MAX}}) ==
        std::vector<std::uint64_t>{100, 400, 400});
  CHECK(divided(900, {{1, 0}, {1, UINT64_MAX}}) == std::vector<std::uint64_t>{0, 900});
  CHECK(divided(900, {{1, 10}, {1, 20}}) == std::vector<std::uint64_t>{10, 20});
}

TEST_CASE("nothing is given out twice, and nothing is kept back that is wanted", "[share]") {
  std::mt19937_64 random(1);
  for (int round = 0; round < 2000; ++round) {
    std::vector<Claim> claims(1 + random() % 20);
    for (Claim& claim : claims) {
      claim.weight = static_cast<std::uint32_t>(1 + random() % 10);
      claim.wanted_bytes_per_s = random() % 3 == 0 ? UINT64_MAX : random() % 1'000'000;
    }
    const std::uint64_t total = random() % 5'000'000;
    divide(total, claims.data(), claims.size());
    std::uint64_t given = 0;
    bool is_somebody_short = false;
    for (const Claim& claim : claims) {
      given += claim.granted_bytes_per_s;
      REQUIRE(claim.granted_bytes_per_s <= claim.wanted_bytes_per_s);
      is_somebody_short = is_somebody_short || claim.granted_bytes_per_s < claim.wanted_bytes_per_s;
    }
    REQUIRE(given <= total);
    if (is_somebody_short) REQUIRE(given + claims.size() >= total);
  }
}
