// SPDX-License-Identifier: MIT
#include "tools/discnice/policy/pressure.hpp"

#include "tools/discnice/policy/giving_way.hpp"

namespace discnice::policy {
namespace {

// Others use the disk when they wait for more than 1/kForegroundShare of a window. A smaller part comes from the kernel's own
// housekeeping.
constexpr std::uint64_t kForegroundShare = 12;
// A larger part is needed in a window in which the job waited, and in the window after it. The requests of the job may still be on their way through
// kernel threads, which wait like the job.
// If these requests were taken for requests of others, the job would be held back for ever, because each of its turns would
// look like a foreground.
constexpr std::uint64_t kDoubtfulShare = 5;
// A window replaces many looks at counters, so it halves the pace this many times.
constexpr unsigned kHalvings = 8;
// While others are there the job mostly keeps still. The windows then have this length. The disk must be quiet for kHeldQuietNs after others were last seen.
constexpr std::uint64_t kHeldWindowNs = 50'000'000;
constexpr std::uint64_t kHeldQuietNs = 2 * kHeldWindowNs;
constexpr std::uint64_t kRecentNs = 1'000'000'000;
// A window is silent when the job waited for at most 1/kSilentShare of the window. After kTriesMax windows that were not silent the job stops trying.
constexpr std::uint64_t kSilentShare = 4;
constexpr std::uint64_t kTriesMax = 3;

bool was_seen_recently(const DiskActivity& activity, std::uint64_t now_ns) {
  return activity.foreground_at_ns != 0 && growth(now_ns, activity.foreground_at_ns) < kRecentNs;
}

bool is_first(const DiskActivity& activity, std::uint64_t now_ns) {
  return activity.sampled_at_ns == 0 || activity.sampled_at_ns > now_ns || activity.foreground_at_ns > now_ns;
}

// True when the job was not listening before this sample, and this sample starts a window in which it listens.
bool begins_listening(const DiskActivity& activity, std::uint64_t now_ns) {
  return activity.listen_until_ns == 0 && !was_seen_recently(activity, now_ns);
}

}  // namespace

bool is_pressure_due(const DiskActivity& activity, std::uint64_t now_ns) {
  if (is_first(activity, now_ns)) return true;
  if (activity.listen_until_ns != 0) return now_ns >= activity.listen_until_ns;
  if (was_seen_recently(activity, now_ns)) return growth(now_ns, activity.sampled_at_ns) >= kHeldWindowNs;
  return growth(now_ns, activity.listened_at_ns) >= kListenEveryNs;
}

DiskActivity observe_pressure(const DiskActivity& before, const PressureSample& pressure,
                              const OwnTraffic& own, const Grant& grant, std::uint64_t now_ns) {
  DiskActivity after = before;
  after.sampled_at_ns = now_ns;
  after.pressure = pressure;
  after.own = own;
  after.listen_until_ns = 0;
  if (is_first(before, now_ns)) {
    begin_watching(after, grant, false, now_ns);
  } else {
    follow_base(before, after, grant);
  }
  if (is_first(before, now_ns) || begins_listening(before, now_ns)) {
    after.listen_until_ns = now_ns + kListenNs;
    after.listened_at_ns = now_ns;
    return after;
  }
  const std::uint64_t window_ns = growth(now_ns, before.sampled_at_ns);
  const std::uint64_t own_ns = growth(pressure.own_stalled_ns, before.pressure.own_stalled_ns);
  const std::uint64_t all_ns = growth(pressure.stalled_ns, before.pressure.stalled_ns);
  const bool is_silence = own_ns <= window_ns / kSilentShare;
  const bool is_listening = before.listen_until_ns != 0;
  // When the job's own waiting has ended, its requests may still be on their way.
  const bool is_doubtful = !is_listening && (own_ns != 0 || before.is_unsettled != 0);
  after.is_unsettled = own_ns != 0 ? 1 : 0;
  if (growth(all_ns, own_ns) > window_ns / (is_doubtful ? kDoubtfulShare : kForegroundShare)) {
    give_way(before, after, {0, kHalvings}, grant, now_ns);
    // Nothing is known of the time after this window until the next window ends.
    if (after.preemption_ns < kHeldQuietNs) after.preemption_ns = kHeldQuietNs;
    return after;
  }
  // A window in which the job itself waited tells nothing about others, so the earlier result stays.
  if (is_silence || !was_seen_recently(before, now_ns)) {
    come_back(before, after, grant, now_ns);
    if (was_seen_recently(before, now_ns)) after.preemption_ns = before.preemption_ns;
  }
  if (!is_silence && growth(now_ns, before.listened_at_ns) < kTriesMax * kListenNs)
    after.listen_until_ns = now_ns + kListenNs;
  return after;
}

}  // namespace discnice::policy
