// SPDX-License-Identifier: MIT
// nice: full speed while nobody else uses the disk, and slower the more others use it.
//
// Idea: additive increase, multiplicative decrease. Each look at the disk that finds other users halves the pace, down to the floor. When the others
// have been away for the preemption interval, each look that finds no other user adds to the pace. After a second without others the pace is
// unlimited. An operation starts when the time that its bytes take at the present pace has passed since the job's last operation. So a rising pace
// has an effect at once. A small operation counts for more than its bytes, because its seek costs the others the same time.
//
// Assumes: policy/foreground.hpp, or policy/pressure.hpp, tells the foreground's requests from the job's requests; policy/giving_way.hpp changes
// the pace.
// What breaks it: the same as for `idle`. A few requests of others in a second slow the job down and do not stop it.
#include "tools/discnice/policy/nice.hpp"

#include "tools/discnice/policy/floor.hpp"
#include "tools/discnice/policy/giving_way.hpp"
#include "tools/discnice/policy/pressure.hpp"
#include "tools/discnice/policy/rate_window.hpp"

namespace discnice::policy {
namespace {

constexpr std::uint64_t kNanosecondsPerSecond = 1'000'000'000;
// A page that needs a seek counts for the bytes that a slow stream moves in that time: 128 KB on a mechanical disk. An operation of less than a page,
// for example the removal of a name, counts for its part of a page.
constexpr std::uint64_t kPageBytes = 4096;
constexpr std::uint64_t kBytesPerRandomMicrosecond = 16;

std::uint64_t paced_bytes(const DiskActivity& activity, std::uint64_t cost_bytes) {
  const std::uint64_t known_ns = random_read_ns(activity);
  const std::uint64_t random_ns = known_ns < kPreemptionMaxNs ? known_ns : kPreemptionMaxNs;
  const std::uint64_t page_counts_for = random_ns / 1000 * kBytesPerRandomMicrosecond;
  if (cost_bytes >= page_counts_for) return cost_bytes;
  const std::uint64_t of_page = cost_bytes < kPageBytes ? cost_bytes : kPageBytes;
  const std::uint64_t counts_for = page_counts_for * of_page / kPageBytes;
  return counts_for > cost_bytes ? counts_for : cost_bytes;
}

Decision hold(State last_go, const Grant& grant, const DiskActivity& activity, std::uint64_t cost_bytes,
              std::uint64_t now_ns) {
  if (activity.pace_bytes_per_s >= kPaceUnlimited || activity.foreground_at_ns == 0)
    return {{now_ns}, {listening_until_ns(activity, now_ns)}};
  const std::uint64_t pace = activity.pace_bytes_per_s > kPaceMin ? activity.pace_bytes_per_s : kPaceMin;
  const std::uint64_t turn_ns = turn_after_ns(grant, activity, cost_bytes);
  __extension__ using Wide = unsigned __int128;
  const Wide paced_ns = static_cast<Wide>(paced_bytes(activity, cost_bytes)) * kNanosecondsPerSecond / pace;
  const std::uint64_t gap_ns = paced_ns < turn_ns ? static_cast<std::uint64_t>(paced_ns) : turn_ns;
  const std::uint64_t start_at_ns = last_go.paid_until_ns + gap_ns;
  const std::uint64_t heard_at_ns = listening_until_ns(activity, now_ns);
  return {{now_ns}, {start_at_ns > heard_at_ns ? start_at_ns : heard_at_ns}};
}

}  // namespace

constinit const Policy kNice = {
    "nice",
    "full speed while nobody else uses the disk, backing off when somebody does (no knob to set)",
    false,
    admit_by_rate,
    correct_by_rate,
    hold};

}  // namespace discnice::policy
