// SPDX-License-Identifier: MIT
// share: divides one total among jobs by weight, and leaves no part of it unused.
//
// Idea: water-filling. Claims that want less than their part get the rate that they want, and the rest is divided again among the other claims. The
// policy itself holds a job to the rate that was lent to it (rate windows). The launcher of each job, or the daemon, divides the total a few times
// a second. When neither a launcher nor the daemon divides, each job may use the whole total.
//
// What breaks it: jobs of other users, because their wants are not known.
#include "tools/discnice/policy/share.hpp"

#include "tools/discnice/policy/rate_window.hpp"

namespace discnice::policy {
namespace {

std::uint64_t weight_of(const Claim& claim) {
  return claim.weight == 0 ? 1 : claim.weight;
}

bool is_open(const Claim& claim) {
  return claim.granted_bytes_per_s == UINT64_MAX;
}

std::uint64_t part(std::uint64_t left, std::uint64_t weight, std::uint64_t weights) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>(static_cast<Wide>(left) * weight / weights);
}

// Grants the wanted rate to each claim that wants no more than its part of the remaining total. Returns true when there was such a claim.
bool settle_content(std::uint64_t* left, Claim* claims, std::size_t count) {
  std::uint64_t weights = 0;
  for (std::size_t i = 0; i < count; ++i) weights += is_open(claims[i]) ? weight_of(claims[i]) : 0;
  const std::uint64_t whole = *left;
  bool has_settled = false;
  for (std::size_t i = 0; i < count; ++i) {
    if (!is_open(claims[i]) || claims[i].wanted_bytes_per_s > part(whole, weight_of(claims[i]), weights))
      continue;
    claims[i].granted_bytes_per_s = claims[i].wanted_bytes_per_s;
    *left -= claims[i].wanted_bytes_per_s;
    has_settled = true;
  }
  return has_settled;
}

}  // namespace

void divide(std::uint64_t total_bytes_per_s, Claim* claims, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) claims[i].granted_bytes_per_s = UINT64_MAX;
  std::uint64_t left = total_bytes_per_s;
  while (settle_content(&left, claims, count)) {
  }
  std::uint64_t weights = 0;
  for (std::size_t i = 0; i < count; ++i) weights += is_open(claims[i]) ? weight_of(claims[i]) : 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (is_open(claims[i])) claims[i].granted_bytes_per_s = part(left, weight_of(claims[i]), weights);
  }
}

constinit const Policy kShare = {
    "share",
    "a part of --rate by --weight among the jobs that share; what others leave over as well",
    true,
    admit_by_rate,
    correct_by_rate,
    nullptr};

}  // namespace discnice::policy
