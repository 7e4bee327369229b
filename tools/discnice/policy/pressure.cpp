// SPDX-License-Identifier: MIT
#include "tools/discnice/policy/pressure.hpp"

#include "tools/discnice/policy/giving_way.hpp"

namespace discnice::policy {
namespace {

// Others are there when they wait for so large a part of a window; less is the kernel's own housekeeping.
constexpr std::uint64_t kForegroundShare = 16;
// A window is as many looks at counters, and so many halvings of the pace.
constexpr unsigned kHalvings = 8;
// While others are there the job is mostly still: windows of this length, for as long after they were last seen.
constexpr std::uint64_t kHeldWindowNs = 50'000'000;
constexpr std::uint64_t kHeldQuietNs = 3 * kHeldWindowNs;
constexpr std::uint64_t kRecentNs = 1'000'000'000;
// A window in which we waited ourselves for more than this part of it is no silence; so many are tried in a row.
constexpr std::uint64_t kSilentShare = 8;
constexpr std::uint64_t kTriesMax = 5;

bool was_seen_recently(const DiskActivity& activity, std::uint64_t now_ns) {
  return activity.foreground_at_ns != 0 && growth(now_ns, activity.foreground_at_ns) < kRecentNs;
}

bool is_first(const DiskActivity& activity, std::uint64_t now_ns) {
  return activity.sampled_at_ns == 0 || activity.sampled_at_ns > now_ns || activity.foreground_at_ns > now_ns;
}

// A window in which we did something ourselves is no silence: of others it says nothing.
bool have_we_moved(const DiskActivity& before, const DiskActivity& after, std::uint64_t window_ns) {
  const std::uint64_t own_ns = growth(after.pressure.own_stalled_ns, before.pressure.own_stalled_ns);
  return own_ns > window_ns / kSilentShare || after.own.read_bytes != before.own.read_bytes ||
         after.own.written_bytes != before.own.written_bytes;
}

// A sample that begins a window of silence and ends none.
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
  if (is_first(before, now_ns)) begin_watching(after, grant, false, now_ns);
  if (is_first(before, now_ns) || begins_listening(before, now_ns)) {
    after.listen_until_ns = now_ns + kListenNs;
    after.listened_at_ns = now_ns;
    return after;
  }
  const bool is_listening = before.listen_until_ns != 0;
  const std::uint64_t window_ns = growth(now_ns, before.sampled_at_ns);
  // What we have started may still be on its way in the window after ours.
  after.is_unsettled = have_we_moved(before, after, window_ns) ? 1 : 0;
  if (after.is_unsettled != 0 || (before.is_unsettled != 0 && !is_listening)) {
    const bool may_try_again = growth(now_ns, before.listened_at_ns) < kTriesMax * kListenNs;
    if (is_listening && may_try_again) after.listen_until_ns = now_ns + kListenNs;
    return after;
  }
  const std::uint64_t own_ns = growth(pressure.own_stalled_ns, before.pressure.own_stalled_ns);
  const std::uint64_t all_ns = growth(pressure.stalled_ns, before.pressure.stalled_ns);
  if (growth(all_ns, own_ns) > window_ns / kForegroundShare) {
    give_way(before, after, {0, kHalvings}, grant, now_ns);
    // Nothing is known of the time since this window before the next ones end.
    if (after.preemption_ns < kHeldQuietNs) after.preemption_ns = kHeldQuietNs;
    return after;
  }
  come_back(before, after, grant, now_ns);
  if (was_seen_recently(before, now_ns)) after.preemption_ns = before.preemption_ns;
  return after;
}

}  // namespace discnice::policy
