// SPDX-License-Identifier: MIT
#include "tools/discnice/transfer/admission.hpp"

#include <sys/syscall.h>

#include "toolbox/base/clock.hpp"
#include "toolbox/base/raw_sys.hpp"
#include "tools/discnice/descriptor/file_locks.hpp"
#include "tools/discnice/descriptor/trust.hpp"
#include "tools/discnice/job/budget.hpp"
#include "tools/discnice/kernel/account.hpp"
#include "tools/discnice/kernel/disk_watch.hpp"
#include "tools/discnice/kernel/disks.hpp"
#include "tools/discnice/observe/recording.hpp"
#include "tools/discnice/policy/floor.hpp"
#include "tools/discnice/policy/lanes.hpp"
#include "tools/discnice/policy/lumps.hpp"
#include "tools/discnice/policy/registry.hpp"
#include "tools/discnice/protocol/guarded_word.hpp"
#include "tools/discnice/protocol/left_writes.hpp"
#include "tools/discnice/protocol/segment.hpp"
#include "tools/discnice/throttle/handler_mask.hpp"
#include "tools/discnice/transfer/engine.hpp"

namespace discnice::guest {
namespace {

using gray::base::monotonic_ns;
using gray::base::raw_syscall;
using protocol::Counter;

// A paused job checks at this interval whether it is still paused. The end of a pause is noticed earlier, within one slice of the wait.
constexpr std::uint64_t kPauseNs = 1'000'000'000;
// While no other member waits for its turn, no operation waits for the disk's other users for longer than this.
constexpr std::uint64_t kHeldMaxNs = 1'000'000'000;
// This many calls after an interrupted wait do not wait either. The number is enough for one read, one write and a few more calls.
constexpr std::uint32_t kGraceCalls = 4;
// For this time after an interrupted wait, and up to this cost, small calls do not wait either. An interpreter that was told to stop opens, reads and closes dozens of
// cached files before it ends, and writes a page of log. Calls that bring in a read-ahead window do wait, so a program's own timer cannot undo the limit.
constexpr std::uint64_t kGraceCostBytes = 64 * 1024;
constexpr std::uint64_t kGraceNs = 200'000'000;

constinit throttle::HandlerMask handler_mask;

// What a wait needs to know about the job. It lives on the stack of the waiting call.
struct WaitContext {
  Job& job;
  std::uint64_t grant_sequence;
  std::uint64_t start_at_ns;
  bool is_debt;               // the wait is for an account, and not for the disk's other users
  std::uint64_t shared_rate;  // for a job that shares a rate: the rate it was lent when the wait began
  throttle::SignalHold& signals;
};

// The bytes of an operation on a disk, and the bytes of earlier operations that became known too late to wait for them.
struct Demand {
  Place place;
  std::uint64_t bytes;
};

std::uint64_t now_in_wait(void* /*context*/) {
  return monotonic_ns();
}

// Adds the wait to the counters slice by slice, so that an observer of the job sees the wait while it lasts.
int sleep_in_wait(void* context, std::uint64_t instant_ns) {
  const auto& wait = *static_cast<WaitContext*>(context);
  const std::uint64_t start_ns = monotonic_ns();
  const int status = throttle::sleep_until(instant_ns, wait.signals.program_mask());
  const std::uint64_t end_ns = monotonic_ns();
  protocol::add(*wait.job.member, Counter::slept_ns, end_ns - start_ns);
  record_wait(wait.job, start_ns, end_ns);
  return status;
}

// Asked after each slice of the wait. The calls that wait are cancellation points, so the wait must be one too. No lock is held here. A thread that is cancelled unwinds
// through these frames. The build keeps their unwind tables.
bool is_revoked(void* context) {
  engine::test_cancellation();
  const auto& wait = *static_cast<WaitContext*>(context);
  if (wait.job.segment->grant.sequence() != wait.grant_sequence) return true;
  if (!wait.is_debt) return false;
  const std::uint64_t now_ns = monotonic_ns();
  const Grant grant = grant_now(wait.job, now_ns);
  return shared_rate_of(grant) != wait.shared_rate ||
         wait.start_at_ns > latest_paid_ns(wait.job, grant, now_ns);
}

// A person's Ctrl-C must take effect at once, but a program's 100 Hz timer must not undo the limit. So a signal ends a wait, and the next few calls do not wait either,
// because a program may check the flag that its signal handler sets only after it has written the data that it has read. No further signal ends a wait until
// the bytes of all postponed waits are paid. Signal handlers run on time in any case.
bool may_yield_to_signal(void* context) {
  const auto& wait = *static_cast<WaitContext*>(context);
  protocol::Member& member = *wait.job.member;
  const std::uint64_t now_ns = monotonic_ns();
  std::uint64_t paid_at_ns = member.yielded_until_ns.load(std::memory_order_relaxed);
  const bool is_possible =
      paid_at_ns <= now_ns || paid_at_ns <= latest_paid_ns(wait.job, grant_now(wait.job, now_ns), now_ns);
  if (now_ns < paid_at_ns && is_possible) return false;
  if (!member.yielded_until_ns.compare_exchange_strong(paid_at_ns, wait.start_at_ns,
                                                       std::memory_order_relaxed))
    return false;
  member.grace_calls.store(kGraceCalls, std::memory_order_relaxed);
  member.grace_until_ns.store(now_ns + kGraceNs, std::memory_order_relaxed);
  return true;
}

// True when this call is one of the calls that need not wait after a wait that a signal ended.
bool takes_grace(protocol::Member& member, std::uint64_t cost_bytes, std::uint64_t now_ns) {
  std::uint32_t left = member.grace_calls.load(std::memory_order_relaxed);
  while (left > 0) {
    const std::uint32_t next =
        left <= kGraceCalls ? left - 1 : 0;  // more than is ever given: damaged shared memory
    if (member.grace_calls.compare_exchange_weak(left, next, std::memory_order_relaxed)) return true;
  }
  const std::uint64_t until_ns = member.grace_until_ns.load(std::memory_order_relaxed);
  return cost_bytes <= kGraceCostBytes && now_ns < until_ns && until_ns - now_ns <= kGraceNs;
}

void raise_to(std::atomic<std::uint64_t>& place, std::uint64_t instant_ns) {
  std::uint64_t before_ns = place.load(std::memory_order_relaxed);
  while (before_ns < instant_ns &&
         !place.compare_exchange_weak(before_ns, instant_ns, std::memory_order_relaxed)) {
  }
}

// Postpones a wait: the next call pays the debt, and no signal ends a wait before the debt is paid.
void owe_until(protocol::Member& member, std::uint64_t instant_ns) {
  raise_to(member.owed_until_ns, instant_ns);
  raise_to(member.yielded_until_ns, instant_ns);
  trust.end_term();
}

bool is_first_thread() {
  return raw_syscall(SYS_gettid) == raw_syscall(SYS_getpid);
}

// A call that would wait inside a signal handler: the process has already been told to end. The wait ends as if the signal
// arrived now.
bool gives_way_in_handler(WaitContext& context, bool is_first) {
  return is_first && handler_mask.is_in_handler(context.signals.program_mask()) &&
         may_yield_to_signal(&context);
}

// Waits until the context's instant, or for as long as the call may wait.
throttle::WaitEnd sleep_until_due(WaitContext context) {
  Job& job = context.job;
  const bool is_first = is_first_thread();
  context.signals.begin();
  const throttle::Sleeper sleeper{&context, now_in_wait, sleep_in_wait, is_revoked, may_yield_to_signal};
  auto end = throttle::WaitEnd::interrupted;
  if (!gives_way_in_handler(context, is_first)) end = throttle::wait({context.start_at_ns}, sleeper);
  if (is_first && end == throttle::WaitEnd::due) handler_mask.note_waited(context.signals.program_mask());
  if (end == throttle::WaitEnd::interrupted) protocol::add(*job.member, Counter::interrupted_waits, 1);
  if (end == throttle::WaitEnd::refused) protocol::add(*job.member, Counter::fallbacks, 1);
  return end;
}

// The instant at which a debt is paid changes when the job is lent another rate, and when the reservation of a killed member is given back to the
// account.
void move_debt(WaitContext& wait) {
  const std::uint64_t now_ns = monotonic_ns();
  const Grant grant = grant_now(wait.job, now_ns);
  const std::uint64_t rate = shared_rate_of(grant);
  const std::uint64_t moved_ns = protocol::at_other_rate(wait.start_at_ns, wait.shared_rate, rate, now_ns);
  const std::uint64_t latest_ns = latest_paid_ns(wait.job, grant, now_ns);
  wait.start_at_ns = moved_ns < latest_ns ? moved_ns : latest_ns;
  wait.shared_rate = rate;
}

// Waits until the charged cost is paid. The rest of an interrupted wait stays a debt, and the process's next call pays it. Returns false when a signal ended the wait.
bool wait_until_paid(Job& job, std::uint64_t start_at_ns, std::uint64_t grant_sequence,
                     throttle::SignalHold& signals) {
  protocol::Member& member = *job.member;
  protocol::add(member, Counter::waits, 1);
  WaitContext wait{job,    grant_sequence, start_at_ns, true, shared_rate_of(grant_now(job, monotonic_ns())),
                   signals};
  auto end = sleep_until_due(wait);
  while (end == throttle::WaitEnd::revoked && job.segment->grant.sequence() == grant_sequence) {
    move_debt(wait);
    end = sleep_until_due(wait);
  }
  if (end == throttle::WaitEnd::interrupted) {
    owe_until(member, wait.start_at_ns);
    return false;
  }
  std::uint64_t owed_ns = member.owed_until_ns.load(std::memory_order_relaxed);
  if (owed_ns <= start_at_ns)
    member.owed_until_ns.compare_exchange_strong(owed_ns, 0, std::memory_order_relaxed);
  return true;
}

// Returns the instant at which to ask again for the operation, or `now_ns` when the operation may start.
std::uint64_t held_until(Job& job, const Demand& demand, std::uint64_t now_ns) {
  const Grant grant = grant_now(job, now_ns);
  if ((grant.flags & kPaused) != 0) return now_ns + kPauseNs;
  const policy::Policy& policy = policy_on(job, demand.place.disk, grant);
  DiskActivity activity;
  if (policy.hold == nullptr || demand.place.disk == nullptr || demand.place.looking == Looking::as_known ||
      !look_at_disk(job, *demand.place.disk, demand.place.looking, grant, now_ns, &activity))
    return now_ns;
  // Other requests of the job during such a sending make the disk seek back and forth. Both then take longer, and a foreground that comes waits for both.
  if (protocol::is_sending_left(*job.segment, *demand.place.disk, now_ns)) return now_ns + kLookNs;
  std::uint64_t word = job.segment->last_go.load(std::memory_order_relaxed);
  const std::uint64_t went_ns = protocol::unpack_instant(word, now_ns);
  const policy::State last_go{went_ns < now_ns ? went_ns : now_ns};
  const policy::Decision decision = policy.hold(last_go, grant, activity, demand.bytes, now_ns);
  if (decision.verdict.start_at_ns > now_ns) {
    const std::uint64_t next_look_ns = now_ns + kLookNs;
    return decision.verdict.start_at_ns < next_look_ns ? decision.verdict.start_at_ns : next_look_ns;
  }
  // Several callers may wait for one turn. Exactly one of them gets it.
  const std::uint64_t next = protocol::pack_instant(decision.next.paid_until_ns);
  const bool is_mine = job.segment->last_go.compare_exchange_strong(word, next, std::memory_order_relaxed);
  return is_mine ? now_ns : now_ns + 1;
}

// The latest instant until which an operation may wait for others. The job gets a turn within this time, and every other member may get one first.
std::uint64_t held_at_most_until(const Job& job, std::uint64_t since_ns) {
  return since_ns + kHeldMaxNs + policy::kTurnNs * protocol::count_alive(*job.segment, job.pid_namespace);
}

// Waits while the job is paused, and while its policy gives way to the disk's other users. Returns false when a signal ended the wait.
bool wait_while_held(Job& job, const Demand& demand, throttle::SignalHold& signals) {
  bool has_waited = false;
  const std::uint64_t since_ns = monotonic_ns();
  std::uint64_t look_ns =
      since_ns + kHeldMaxNs;  // when to check for too long a wait; the check walks over all members
  while (true) {
    const std::uint64_t sequence = job.segment->grant.sequence();
    const std::uint64_t now_ns = monotonic_ns();
    const std::uint64_t until_ns = held_until(job, demand, now_ns);
    if (until_ns <= now_ns) return true;
    if (now_ns > look_ns && (protocol::load_grant(*job.segment).flags & kPaused) == 0) {
      if (now_ns > held_at_most_until(job, since_ns)) return true;
      look_ns = now_ns + kHeldMaxNs;
    }
    if (!has_waited) protocol::add(*job.member, Counter::waits, 1);
    has_waited = true;
    switch (sleep_until_due({job, sequence, until_ns, false, 0, signals})) {
      case throttle::WaitEnd::interrupted:
        return false;
      case throttle::WaitEnd::refused:
        return true;
      case throttle::WaitEnd::due:
      case throttle::WaitEnd::revoked:
        break;
    }
  }
}

// The debt of this process, at most what the accounts can have caused. A larger value may come from damaged shared memory. It is replaced by that maximum.
std::uint64_t owed_until(Job& job, const Grant& grant, std::uint64_t now_ns) {
  std::uint64_t owed_ns = job.member->owed_until_ns.load(std::memory_order_relaxed);
  if (owed_ns <= now_ns) return owed_ns;
  const std::uint64_t latest_ns = latest_paid_ns(job, grant, now_ns);
  if (owed_ns <= latest_ns) return owed_ns;
  job.member->owed_until_ns.compare_exchange_strong(owed_ns, latest_ns, std::memory_order_relaxed);
  return latest_ns;
}

// While others use the disk, a rate is spent in portions.
Portion portion_now(Job& job, const Grant& grant, const Demand& demand, std::uint64_t now_ns) {
  DiskActivity activity;
  if (demand.bytes == 0 || demand.place.disk == nullptr || grant.rate_bytes_per_s == 0) return {};
  if (!look_at_disk(job, *demand.place.disk, demand.place.looking, grant, now_ns, &activity)) return {};
  return {policy::lump_ns(grant.rate_bytes_per_s, activity, now_ns), policy::saved_ns_max(activity, now_ns)};
}

}  // namespace

bool admit(Job& job, const IoEstimate& estimate, const Place& place, bool may_wait,
           throttle::SignalHold& signals) {
  const Demand demand{place, estimate.cost_bytes() + take_unheld()};
  if (demand.bytes == 0 && !has_debt(job)) return may_wait;
  const std::uint64_t sequence = job.segment->grant.sequence();
  const std::uint64_t now_ns = monotonic_ns();
  const Grant grant = grant_now(job, now_ns);
  const bool is_holding =
      (grant.flags & kPaused) != 0 || policy::policy_by_id(grant.policy_id).hold != nullptr;
  std::uint64_t start_at_ns = owed_until(job, grant, now_ns);
  const std::uint64_t paid_at_ns =
      charge(job, grant, estimate, portion_now(job, grant, demand, now_ns), now_ns);
  if (paid_at_ns > start_at_ns) start_at_ns = paid_at_ns;
  if (start_at_ns <= now_ns && !(is_holding && demand.bytes != 0)) return may_wait;
  if (!may_wait || holds_fresh_lock(now_ns) || takes_grace(*job.member, demand.bytes, now_ns)) {
    if (start_at_ns > now_ns) owe_until(*job.member, start_at_ns);
    return false;
  }
  if (start_at_ns > now_ns) {
    // If this process is killed during this wait, its charge is given back to the job.
    job.member->reserved_bytes.fetch_add(estimate.cost_bytes(), std::memory_order_relaxed);
    const bool is_paid = wait_until_paid(job, start_at_ns, sequence, signals);
    protocol::give_back_reserved(*job.member, estimate.cost_bytes());
    if (!is_paid) return false;
  }
  // If the grant was changed during the wait, the new grant may hold the job back where the old grant did not.
  return demand.bytes == 0 || wait_while_held(job, demand, signals);
}

void pay_debt(Job& job) {
  settle_if_stale(job);
  throttle::SignalHold signals;
  admit(job, IoEstimate{}, {last_disk()}, true, signals);
}

std::uint64_t ask_for_turn(Job& job, protocol::Disk* disk, std::uint64_t bytes, std::uint64_t now_ns) {
  return held_until(job, {{disk}, bytes}, now_ns);
}

bool wait_for_turn(Job& job, protocol::Disk* disk, std::uint64_t bytes, throttle::SignalHold& signals) {
  return wait_while_held(job, {{disk}, bytes}, signals);
}

}  // namespace discnice::guest
