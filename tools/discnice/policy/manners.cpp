// SPDX-License-Identifier: MIT
#include "tools/discnice/policy/manners.hpp"

#include "toolbox/base/fair_coin.hpp"
#include "tools/discnice/policy/floor.hpp"
#include "tools/discnice/policy/giving_way.hpp"
#include "tools/discnice/policy/rate_window.hpp"
#include "tools/discnice/policy/registry.hpp"

namespace discnice::policy {
namespace {

using gray::base::LineSums;

// The times of an ordinary mechanical disk: for an access, for a flush (the journal takes two accesses), and for a KiB at
// 100 MB/s.
constexpr double kAccessUs = 8'000;
constexpr double kFlushUs = 2 * kAccessUs;
constexpr double kKibUs = 10;
// The length of an interval: long enough for an access, short enough for a quick verdict.
constexpr double kIntervalUs = 6'000;
constexpr double kIntervalExpectedUs = 6 * kIntervalUs;
// An interval is slower when it took more than 4/3 of the expected time. A smaller excess is harmless, and often happens by chance.
constexpr double kSlowerShare = 4.0 / 3;
// An interval that took this many times the expected time cannot be explained by random seeks. It counts twice.
constexpr double kMuchSlowerShare = 3;
// The job is suspended when chance alone would give at least as many slow intervals with at most this probability.
constexpr double kDoubtMax = 1.0 / 16;
constexpr unsigned kSignsMax = 8;
// A kind is judged after kYoungCalls calls, and kRememberedCalls calls of it are remembered. Slow calls have little weight: the job adapts to a disk that
// became permanently slower after some hundred probes.
constexpr double kYoungCalls = 8;
constexpr double kRememberedCalls = 64;
constexpr double kRememberedFlushes = 8;
constexpr double kSlowWeight = 1.0 / 16;
// This many probes in a row must go well before the job goes on. Each good interval shortens the next suspension by this part.
constexpr std::uint64_t kGoodProbes = 2;
constexpr std::uint64_t kForgivenShare = 16;
// A suspended job may write up to this many steps in its turns and probes, because a step takes longer than a probe.
constexpr std::uint64_t kSuspendedSteps = 4;
// A shorter call has not waited for a disk: the first call after a pause may find data that was read ahead before the pause.
constexpr std::uint64_t kWaitNs = 1'000'000;

constexpr double number(std::uint64_t value) {
  return static_cast<double>(value);
}

double floor_us(CallKind kind, const CallSums& calls) {
  const double transfer_us = kKibUs * number(calls.kib);
  switch (kind) {
    case CallKind::read_on:
      return transfer_us;
    case CallKind::read_start:
    case CallKind::read_back:
    case CallKind::name:
      return kAccessUs * number(calls.calls) + transfer_us;
    case CallKind::flush:
      return kFlushUs * number(calls.calls) + transfer_us;
  }
  return transfer_us;
}

double expected_us(CallKind kind, const LineSums& learned, const CallSums& calls) {
  const gray::base::CostLine line = gray::base::cost_line(learned);
  const double best_us = line.intercept * number(calls.calls) + line.slope * number(calls.kib);
  const double least_us = floor_us(kind, calls);
  return best_us > least_us ? best_us : least_us;
}

// The actual and the expected time of the calls of an interval. Only kinds that can be judged are included.
struct Pair {
  double actual_us = 0;
  double expected_us = 0;
};

Pair pair_of(const JobProgress& progress, const ProgressInterval& interval, double calls_least) {
  Pair pair;
  for (unsigned kind = 0; kind < kCallKinds; ++kind) {
    const CallSums& calls = interval.calls[kind];
    if (calls.calls == 0 || progress.learned[kind].weight < calls_least) continue;
    pair.actual_us += number(calls.us);
    pair.expected_us += expected_us(static_cast<CallKind>(kind), progress.learned[kind], calls);
  }
  return pair;
}

void learn(JobProgress& progress, const ProgressInterval& interval, double weight) {
  for (unsigned kind = 0; kind < kCallKinds; ++kind) {
    const CallSums& calls = interval.calls[kind];
    if (calls.calls == 0) continue;
    LineSums& learned = progress.learned[kind];
    const bool is_young = learned.weight < kYoungCalls;
    gray::base::add_sums(learned,
                         {number(calls.calls), number(calls.kib), number(calls.us), number(calls.kib_squares),
                          number(calls.kib_us)},
                         is_young ? 1 : weight);
    gray::base::fade_to(
        learned, kind == static_cast<unsigned>(CallKind::flush) ? kRememberedFlushes : kRememberedCalls);
  }
}

// The verdict of one interval, and how often it counts.
struct Vote {
  bool is_slower = false;
  unsigned count = 0;  // 0: no verdict
};

Vote vote_of(const Pair& pair) {
  if (pair.expected_us <= 0) return {};
  if (pair.actual_us > kMuchSlowerShare * pair.expected_us) return {true, 2};
  return {pair.actual_us > kSlowerShare * pair.expected_us, 1};
}

void note_vote(JobProgress& progress, const Vote& vote) {
  for (unsigned i = 0; i < vote.count; ++i) {
    progress.signs = progress.signs << 1U | (vote.is_slower ? 1U : 0U);
    if (progress.sign_count < kSignsMax) ++progress.sign_count;
  }
}

// The paired sign test over the last intervals. It tries all numbers of intervals and takes the clearest result.
bool is_slower(const JobProgress& progress) {
  unsigned minus = 0;
  for (unsigned count = 1; count <= kSignsMax && count <= progress.sign_count; ++count) {
    minus += progress.signs >> (count - 1) & 1U;
    if (gray::base::heads_or_more(minus, count) <= kDoubtMax) return true;
  }
  return false;
}

void suspend(JobProgress& progress, DiskActivity& activity, bool is_again, std::uint64_t now_ns) {
  const std::uint64_t before_ns =
      activity.preemption_ns < kSuspensionMinNs ? kSuspensionMinNs : activity.preemption_ns;
  const std::uint64_t after_ns = is_again ? 2 * before_ns : before_ns;
  activity.preemption_ns = after_ns < kSuspensionMaxNs ? after_ns : kSuspensionMaxNs;
  activity.foreground_at_ns = now_ns;
  progress.is_suspended = 1;
  progress.good_probes = progress.sign_count = progress.signs = 0;
  progress.is_head_away = 1;
}

void note_good(JobProgress& progress, DiskActivity& activity) {
  if (progress.is_suspended != 0 && ++progress.good_probes < kGoodProbes) return;
  progress.is_suspended = 0;
  const std::uint64_t less_ns = activity.preemption_ns - activity.preemption_ns / kForgivenShare;
  activity.preemption_ns = less_ns > kSuspensionMinNs ? less_ns : kSuspensionMinNs;
}

Decision hold(State last_go, const Grant& grant, const DiskActivity& activity, std::uint64_t cost_bytes,
              std::uint64_t now_ns) {
  if (activity.foreground_at_ns == 0) return {{now_ns}, {0}};
  const std::uint64_t probe_at_ns = activity.foreground_at_ns + activity.preemption_ns;
  const std::uint64_t turn_at_ns = last_go.paid_until_ns + turn_after_ns(grant, activity, cost_bytes);
  return {{now_ns}, {probe_at_ns < turn_at_ns ? probe_at_ns : turn_at_ns}};
}

}  // namespace

SeenBy observed_by(SeenBy possible, const Grant& grant) {
  if (possible == SeenBy::untested) return possible;
  if (grant.policy_id == kMannersId) return SeenBy::progress;
  if (possible == SeenBy::counters) return possible;
  if (grant.policy_id == kIdleId && possible == SeenBy::pressure) return possible;
  const bool gives_way = grant.policy_id == kNiceId || grant.policy_id == kIdleId;
  return gives_way ? SeenBy::progress : SeenBy::none;
}

std::uint64_t flush_bytes(const JobProgress& progress) {
  if (progress.is_suspended != 0) return kSuspendedSteps * kFlushBytesMax;
  const LineSums& learned = progress.learned[static_cast<unsigned>(CallKind::flush)];
  if (learned.weight < 1 || learned.y <= 0) return kFlushBytesMin;
  // A step has a fixed cost in time. So the size found here is too small at first, and comes closer to the
  // right size with each step.
  const double bytes = learned.x * 1024 / learned.y * (kFlushNs / 1000.0);
  if (bytes >= number(kFlushBytesMax)) return kFlushBytesMax;
  return bytes > number(kFlushBytesMin) ? static_cast<std::uint64_t>(bytes) : kFlushBytesMin;
}

bool is_interval_full(const JobProgress& progress, const ProgressInterval& interval) {
  const Pair pair = pair_of(progress, interval, 0);
  return pair.actual_us >= kIntervalUs || pair.expected_us >= kIntervalExpectedUs;
}

bool is_call_telling(const DiskActivity& activity, const JobProgress& progress, std::uint64_t began_ns) {
  return progress.is_suspended == 0 || began_ns >= activity.foreground_at_ns + activity.preemption_ns;
}

CallKind kind_told(JobProgress* progress, CallKind kind, std::uint64_t took_ns) {
  const bool was_away = progress->is_head_away != 0;
  if (kind == CallKind::name || kind == CallKind::flush) progress->is_head_away = 1;
  if (kind != CallKind::read_on || !was_away || took_ns < kWaitNs) return kind;
  progress->is_head_away = 0;
  return CallKind::read_back;
}

void judge_interval(const ProgressInterval& interval, JobProgress* progress, DiskActivity* activity,
                    std::uint64_t now_ns) {
  activity->sampled_at_ns = now_ns;
  const Vote vote = vote_of(pair_of(*progress, interval, kYoungCalls));
  learn(*progress, interval, vote.is_slower ? kSlowWeight : 1);
  if (vote.count == 0) return;
  note_vote(*progress, vote);
  if (!vote.is_slower) return note_good(*progress, *activity);
  if (progress->is_suspended != 0) return suspend(*progress, *activity, true, now_ns);
  if (is_slower(*progress)) suspend(*progress, *activity, false, now_ns);
}

constinit const Policy kManners = {"manners",
                                   "give way by the job's own progress, where nothing tells who else uses "
                                   "the disk; nice and idle do so there",
                                   false,
                                   admit_by_rate,
                                   correct_by_rate,
                                   hold};

}  // namespace discnice::policy
