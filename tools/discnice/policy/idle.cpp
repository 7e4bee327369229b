// SPDX-License-Identifier: MIT
// idle: idle-time scheduling with a preemption interval (Eggert & Touch, SOSP 2005).
//
// Idea: after any request of the foreground no other program is served until the disk has been quiet for the preemption interval. A foreground
//   program that thinks for a moment between two reads then finds the disk's head where its last read left the head.
//
// Assumes: policy/foreground.hpp, or policy/pressure.hpp, tells the foreground's requests from the job's.
// What breaks it: a request of the job that is under way when the foreground comes. The request cannot be cancelled, so the foreground waits for one
//   request. A foreground whose pauses are longer than the longest interval.
#include "tools/discnice/policy/idle.hpp"

#include "tools/discnice/policy/floor.hpp"
#include "tools/discnice/policy/pressure.hpp"
#include "tools/discnice/policy/rate_window.hpp"

namespace discnice::policy {
namespace {

Decision hold(State last_go, const Grant& grant, const DiskActivity& activity, std::uint64_t cost_bytes,
              std::uint64_t now_ns) {
  const std::uint64_t quiet_at_ns =
      activity.foreground_at_ns == 0 ? 0 : activity.foreground_at_ns + activity.preemption_ns;
  const std::uint64_t turn_at_ns = last_go.paid_until_ns + turn_after_ns(grant, activity, cost_bytes);
  const std::uint64_t start_at_ns = quiet_at_ns < turn_at_ns ? quiet_at_ns : turn_at_ns;
  const std::uint64_t heard_at_ns = listening_until_ns(activity, now_ns);
  return {{now_ns}, {start_at_ns > heard_at_ns ? start_at_ns : heard_at_ns}};
}

}  // namespace

constinit const Policy kIdle = {"idle",
                                "wait until nobody else has used the disk for a moment; two turns a second "
                                "(more on flash), or --min-rate, anyway",
                                false,
                                admit_by_rate,
                                correct_by_rate,
                                hold};

}  // namespace discnice::policy
