// SPDX-License-Identifier: MIT
#include "tools/discnice/cli/sharing.hpp"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include <unistd.h>

#include "toolbox/base/clock.hpp"
#include "tools/discnice/policy/registry.hpp"
#include "tools/discnice/protocol/lane_account.hpp"
#include "tools/discnice/protocol/members.hpp"
#include "tools/discnice/protocol/segment.hpp"

namespace discnice::cli {
namespace {

using protocol::Counter;

// The weight of the newest sample in the mean of the rates that a job used. A job that used nothing for some samples does not
// take part.
constexpr double kSmoothing = 0.3;
// A job that does not wait may use this many times the rate that it used lately. So it can use more at any time.
constexpr double kRoom = 1.25;
constexpr double kIdleBytesPerS = 4096;
// No job moves more than this. A larger number means that the counters are damaged.
constexpr double kUsageMax = 1e15;

// A job that was held back within this time wants more than it has. A job that is held back does not wait at every moment. So one moment without
// a wait does not mean that the job has enough.
constexpr std::uint64_t kLatelyNs = 1'000'000'000;
// The used rate of a job is kept for this time after the job was last seen.
constexpr std::uint64_t kForgottenNs = 60 * kLatelyNs;

// The searches of all names may take at most 1/kTimePerLook of the time.
constexpr std::uint64_t kTimePerLook = 20;

std::uint64_t moved_bytes(const protocol::Segment& segment) {
  return protocol::total(segment, Counter::settled_read_bytes) +
         protocol::total(segment, Counter::settled_write_bytes);
}

bool is_sharing(const protocol::Segment& segment) {
  return protocol::load_grant(segment).policy_id == policy::kShareId;
}

bool is_daemon_lending(const protocol::Segment& segment, std::uint64_t now_ns) {
  return segment.lent.is_daemon.load(std::memory_order_relaxed) != 0 &&
         protocol::lent_rate(segment, now_ns) != 0;
}

}  // namespace

bool SharingJobs::has_waited_lately(const protocol::Segment& segment, Usage& usage, std::uint64_t now_ns) {
  const std::uint64_t waits = protocol::total(segment, Counter::waits);
  const std::uint64_t rate = protocol::load_grant(segment).rate_bytes_per_s;
  const bool is_waiting =
      protocol::load_paid_ns(segment, 0, rate, now_ns) > now_ns || protocol::reserved_bytes(segment) != 0;
  if (is_waiting || waits != usage.waits) usage.waited_at_ns = now_ns;
  usage.waits = waits;
  return usage.waited_at_ns != 0 && now_ns - usage.waited_at_ns < kLatelyNs;
}

void SharingJobs::look(std::uint64_t now_ns) {
  if (now_ns < look_again_at_ns_) return;
  here_.clear();
  FoundJobs found = find_jobs();
  for (MappedJob& job : found.jobs)
    if (job.is_kept() && is_sharing(job.segment())) here_.push_back(std::move(job));
  const std::uint64_t after_ns = gray::base::monotonic_ns();
  look_again_at_ns_ = after_ns + kTimePerLook * (after_ns - now_ns);
  std::erase_if(usages_, [now_ns](const auto& usage) { return now_ns - usage.second.at_ns > kForgottenNs; });
}

policy::Claim SharingJobs::claim_of(const char* name, const protocol::Segment& segment,
                                    std::uint64_t now_ns) {
  Usage& usage = usages_[name];
  const std::uint64_t bytes = moved_bytes(segment);
  if (usage.at_ns != 0 && now_ns > usage.at_ns) {
    const std::uint64_t more = bytes > usage.bytes ? bytes - usage.bytes : 0;
    const double lately =
        std::min(static_cast<double>(more) * 1e9 / static_cast<double>(now_ns - usage.at_ns), kUsageMax);
    usage.bytes_per_s += kSmoothing * (lately - usage.bytes_per_s);
  }
  usage.at_ns = now_ns;
  usage.bytes = bytes;
  const Grant grant = protocol::load_grant(segment);
  policy::Claim claim;
  claim.weight = grant.weight;
  if (has_waited_lately(segment, usage, now_ns)) {
    claim.wanted_bytes_per_s = grant.rate_bytes_per_s;
  } else if (usage.bytes_per_s > kIdleBytesPerS) {
    const double wanted = std::min(kRoom * usage.bytes_per_s, static_cast<double>(grant.rate_bytes_per_s));
    claim.wanted_bytes_per_s = static_cast<std::uint64_t>(wanted);
  }
  return claim;
}

void Sharer::lend(protocol::Segment& segment) {
  const std::uint64_t now_ns = gray::base::monotonic_ns();
  if (!is_sharing(segment) || is_daemon_lending(segment, now_ns)) return;
  const std::uint64_t rate_bytes_per_s = protocol::load_grant(segment).rate_bytes_per_s;
  std::vector<policy::Claim> claims{jobs_.claim_of(name_.text, segment, now_ns)};
  jobs_.look(now_ns);
  for (const MappedJob& job : jobs_.here()) {
    if (std::strcmp(job.name(), name_.text) != 0)
      claims.push_back(jobs_.claim_of(job.name(), job.segment(), now_ns));
  }
  // A job that begins to use the disk must find a rate greater than 0.
  if (claims.front().wanted_bytes_per_s == 0) claims.front().wanted_bytes_per_s = rate_bytes_per_s;
  policy::divide(rate_bytes_per_s, claims.data(), claims.size());
  protocol::lend(segment, claims.front().granted_bytes_per_s, false, now_ns);
}

void lend_to_all(SharingJobs& jobs, std::uint64_t total_bytes_per_s) {
  const std::uint64_t now_ns = gray::base::monotonic_ns();
  jobs.look(now_ns);
  std::vector<MappedJob>& here = jobs.here();
  std::vector<policy::Claim> claims;
  std::vector<std::uint64_t> rates;
  for (const MappedJob& job : here) {
    claims.push_back(jobs.claim_of(job.name(), job.segment(), now_ns));
    rates.push_back(protocol::load_grant(job.segment()).rate_bytes_per_s);
  }
  std::uint64_t total = total_bytes_per_s;
  if (total == 0 && !rates.empty()) total = *std::max_element(rates.begin(), rates.end());
  policy::divide(total, claims.data(), claims.size());
  for (std::size_t i = 0; i < here.size(); ++i) {
    // A job that begins to use the disk must find a rate greater than 0.
    const std::uint64_t least = total / (8 * here.size());
    protocol::lend(here[i].segment(), std::min(std::max(claims[i].granted_bytes_per_s, least), rates[i]),
                   true, now_ns);
  }
}

}  // namespace discnice::cli
