// SPDX-License-Identifier: MIT
// rate_window: the paper's rate windows, changed so that one word is the whole history.
//
// Idea (Yamada & Kono, DiscNice, section 5.3): let B be the bytes of the last N seconds, including this operation, and let R be the rate. If B/N <=
// R, the operation runs. Otherwise it sleeps B/R - N first.
//
// The paper keeps a list of recent operations. When each operation counts at its instant, large operations pay twice: an operation of 4RN bytes still
// fills the window when the next one comes, and a job of such operations gets 57 % of its rate. Here bytes drain from the window at R from the moment
// they were admitted (the generic cell rate algorithm: the "theoretical arrival time" is State::paid_until_ns). So B/R - N is exactly the time still
// owed, and the long-run average is R for operations of any size. There are two more differences: the window starts used up instead of empty, and an
// operation starts when its own cost is paid, too. So the average over a whole run is R and not R plus a burst.
//
// Assumes: an instant means the same in all processes (CLOCK_MONOTONIC).
// What breaks it: only a wrong cost.
#include "tools/discnice/policy/rate_window.hpp"

namespace discnice::policy {
namespace {

constexpr std::uint64_t kNanosecondsPerSecond = 1'000'000'000;
// No single correction or operation moves the account by more than this, because a wrong number must not stop a job for ever.
constexpr std::uint64_t kStepMaxNs = 3600 * kNanosecondsPerSecond;

std::uint64_t drain_time_ns(std::uint64_t bytes, std::uint64_t rate_bytes_per_s) {
  if (rate_bytes_per_s == 0) return 0;
  __extension__ using Wide = unsigned __int128;
  const Wide time_ns = static_cast<Wide>(bytes) * kNanosecondsPerSecond / rate_bytes_per_s;
  return time_ns > kStepMaxNs ? kStepMaxNs : static_cast<std::uint64_t>(time_ns);
}

}  // namespace

Decision admit_by_rate(State state, const Grant& grant, std::uint64_t cost_bytes, std::uint64_t now_ns) {
  if (cost_bytes == 0 || grant.rate_bytes_per_s == 0) return {state, {0}};
  // An operation of any size may use unused rate up to its own cost. When an operation moved fewer bytes than predicted, the difference is given
  // back, and can pay for the next operation of the same size.
  const std::uint64_t own_ns = drain_time_ns(cost_bytes, grant.rate_bytes_per_s);
  const std::uint64_t window_ns = own_ns > grant.window_ns ? own_ns : grant.window_ns;
  const std::uint64_t window_start_ns = now_ns > window_ns ? now_ns - window_ns : 0;
  const std::uint64_t paid_ns = state.paid_until_ns > window_start_ns ? state.paid_until_ns : window_start_ns;
  const std::uint64_t next_ns = paid_ns + own_ns;
  return {{next_ns}, {next_ns > now_ns ? next_ns : 0}};
}

State correct_by_rate(State state, const Grant& grant, std::int64_t correction_bytes, std::uint64_t now_ns) {
  if (correction_bytes >= 0)
    return admit_by_rate(state, grant, static_cast<std::uint64_t>(correction_bytes), now_ns).next;
  const std::uint64_t credit_ns =
      drain_time_ns(0 - static_cast<std::uint64_t>(correction_bytes), grant.rate_bytes_per_s);
  return {state.paid_until_ns > credit_ns ? state.paid_until_ns - credit_ns : 0};
}

constinit const Policy kRateWindow = {
    "rate",
    "hold the job to --rate disk bytes a second, reads plus writes (the paper's rate windows)",
    true,
    admit_by_rate,
    correct_by_rate,
    nullptr};

}  // namespace discnice::policy
