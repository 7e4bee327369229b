// SPDX-License-Identifier: MIT
#include "tools/discnice/cli/sharing.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include <unistd.h>

#include "toolbox/base/clock.hpp"
#include "tools/discnice/cli/jobs.hpp"
#include "tools/discnice/policy/registry.hpp"
#include "tools/discnice/policy/share.hpp"
#include "tools/discnice/protocol/lane_account.hpp"
#include "tools/discnice/protocol/members.hpp"
#include "tools/discnice/protocol/segment.hpp"

namespace discnice::cli {
namespace {

using protocol::Counter;

// What a job used is the mean over so many looks; a job that has not moved a byte in as many does not take part.
constexpr double kSmoothing = 0.3;
// Beyond what it used lately a job that does not wait is left this much room to grow.
constexpr double kRoom = 1.25;
constexpr double kIdleBytesPerS = 4096;
// No job moves more; what says so is a wrong byte in its counters.
constexpr double kUsageMax = 1e15;

// A job that was held back lately wants more than it has; between two waits it may go on for a moment without one.
constexpr std::uint64_t kLatelyNs = 1'000'000'000;

struct Usage {
  std::uint64_t at_ns = 0;
  std::uint64_t bytes = 0;
  double bytes_per_s = 0;
  std::uint64_t waits = 0;
  std::uint64_t waited_at_ns = 0;
};

std::map<std::string, Usage> usages;  // by the segment's name; of this process

std::uint64_t moved_bytes(const protocol::Segment& segment) {
  return protocol::total(segment, Counter::settled_read_bytes) +
         protocol::total(segment, Counter::settled_write_bytes);
}

bool has_waited_lately(const protocol::Segment& segment, Usage& usage, std::uint64_t now_ns) {
  const std::uint64_t waits = protocol::total(segment, Counter::waits);
  const std::uint64_t rate = protocol::load_grant(segment).rate_bytes_per_s;
  const bool is_waiting =
      protocol::load_paid_ns(segment, 0, rate, now_ns) > now_ns || protocol::reserved_bytes(segment) != 0;
  if (is_waiting || waits != usage.waits) usage.waited_at_ns = now_ns;
  usage.waits = waits;
  return usage.waited_at_ns != 0 && now_ns - usage.waited_at_ns < kLatelyNs;
}

policy::Claim claim_of(const protocol::Segment& segment, std::uint64_t now_ns) {
  Usage& usage = usages[protocol::name_of(segment).text];
  const std::uint64_t bytes = moved_bytes(segment);
  if (usage.at_ns != 0 && now_ns > usage.at_ns) {
    const std::uint64_t more = bytes > usage.bytes ? bytes - usage.bytes : 0;
    const double lately =
        std::min(static_cast<double>(more) * 1e9 / static_cast<double>(now_ns - usage.at_ns), kUsageMax);
    usage.bytes_per_s += kSmoothing * (lately - usage.bytes_per_s);
  }
  usage.at_ns = now_ns;
  usage.bytes = bytes;
  policy::Claim claim;
  claim.weight = protocol::load_grant(segment).weight;
  if (has_waited_lately(segment, usage, now_ns)) {
    claim.wanted_bytes_per_s = UINT64_MAX;
  } else if (usage.bytes_per_s > kIdleBytesPerS) {
    claim.wanted_bytes_per_s = static_cast<std::uint64_t>(kRoom * usage.bytes_per_s);
  }
  return claim;
}

bool is_sharing(const protocol::Segment& segment) {
  return protocol::load_grant(segment).policy_id == policy::kShareId;
}

bool is_daemon_lending(const protocol::Segment& segment, std::uint64_t now_ns) {
  return segment.lent.is_daemon.load(std::memory_order_relaxed) != 0 &&
         protocol::lent_rate(segment, now_ns) != 0;
}

}  // namespace

void lend_share(protocol::Segment& segment) {
  const std::uint64_t now_ns = gray::base::monotonic_ns();
  if (!is_sharing(segment) || is_daemon_lending(segment, now_ns)) return;
  std::vector<policy::Claim> claims{claim_of(segment, now_ns)};
  for (const MappedJob& job : find_jobs()) {
    const bool is_same =
        std::strcmp(protocol::name_of(job.segment()).text, protocol::name_of(segment).text) == 0;
    if (!is_same && is_sharing(job.segment())) claims.push_back(claim_of(job.segment(), now_ns));
  }
  // A job that begins to want more must find something to begin with.
  if (claims.front().wanted_bytes_per_s == 0) claims.front().wanted_bytes_per_s = UINT64_MAX;
  policy::divide(protocol::load_grant(segment).rate_bytes_per_s, claims.data(), claims.size());
  protocol::lend(segment, claims.front().granted_bytes_per_s, false, now_ns);
}

void lend_to_all(std::uint64_t total_bytes_per_s) {
  const std::uint64_t now_ns = gray::base::monotonic_ns();
  std::vector<MappedJob> jobs;
  std::vector<policy::Claim> claims;
  for (MappedJob& job : find_jobs(geteuid() == 0 ? Whose::everybodys : Whose::own)) {
    const Grant grant = protocol::load_grant(job.segment());
    if (grant.policy_id != policy::kShareId) continue;
    claims.push_back(claim_of(job.segment(), now_ns));
    jobs.push_back(std::move(job));
  }
  std::uint64_t total = total_bytes_per_s;
  if (total == 0) {
    for (const MappedJob& job : jobs)
      total = std::max(total, protocol::load_grant(job.segment()).rate_bytes_per_s);
  }
  policy::divide(total, claims.data(), claims.size());
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    // A job that begins to want more must find something to begin with.
    const std::uint64_t least = total / (8 * jobs.size());
    protocol::lend(jobs[i].segment(), std::max(claims[i].granted_bytes_per_s, least), true, now_ns);
  }
}

}  // namespace discnice::cli
