// SPDX-License-Identifier: MIT
#include "tools/discnice/pace/pacer.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <ctime>
#include <utility>

#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "toolbox/base/clock.hpp"
#include "toolbox/base/descriptor_limit.hpp"
#include "tools/discnice/job/budget.hpp"
#include "tools/discnice/kernel/disks.hpp"
#include "tools/discnice/policy/registry.hpp"
#include "tools/discnice/policy/write_steps.hpp"
#include "tools/discnice/processes/orphans.hpp"
#include "tools/discnice/processes/process_facts.hpp"
#include "tools/discnice/processes/processes.hpp"
#include "tools/discnice/protocol/members.hpp"
#include "tools/discnice/protocol/segment.hpp"
#include "tools/discnice/protocol/segment_guard.hpp"
#include "tools/discnice/transfer/admission.hpp"

namespace discnice::pace {
namespace {

using gray::base::monotonic_ns;
using protocol::Counter;

constexpr std::uint64_t kSecondNs = 1'000'000'000;
// How long a process runs between two looks: the longest time, after it has moved nothing for kQuietNs, and the shortest time. A look costs two system calls.
constexpr std::uint64_t kSliceMaxNs = 10'000'000;
constexpr std::uint64_t kSliceMinNs = 300'000;
constexpr std::uint64_t kQuietNs = kSecondNs;
// The looks take a few hundredths of a processor for any number of processes: after each look, no look is made for kLookCosts times the
// duration of that look. This is true on average, and not for each single reading, because a process that is held to a rate runs for a few
// slices and is then stopped for long.
constexpr std::uint64_t kLookCosts = 32;
// When many looks have followed each other, the pause is at least this many times the duration of a look. It is not longer, because at the speed of
// memory ten milliseconds move many megabytes.
constexpr std::uint64_t kLookCostsMin = 16;
constexpr std::uint64_t kLookWhileNs = 200'000'000;
// Without a rate, a shorter slice is of no use: the looks at the disk are not more frequent.
constexpr std::uint64_t kSliceUnratedNs = 2'500'000;
// The bytes that a process may move in a slice at the speed of memory. With this bound the worst second is not
// far above the rate.
constexpr std::uint64_t kSlicesPerSecond = 10;
constexpr std::uint64_t kSliceBytesMin = 64 * 1024;
constexpr std::uint64_t kMemoryBytesPerSecond = 2'000'000'000;
// A process is not stopped for a shorter debt. The debt stays, and is paid with the next bytes.
constexpr std::uint64_t kStandMinNs = 2'000'000;
// The interval at which a stopped process is checked: for signals, and for a changed grant.
constexpr std::uint64_t kStandLookNs = 20'000'000;
// A process that a signal has told to end is not stopped again for this time. Other signals are sent by programs, and by timers many times in a
// second. They wait until the process goes on.
constexpr std::uint64_t kSignalNs = 100'000'000;
constexpr std::uint64_t kEndingSignals =
    1U << (SIGHUP - 1) | 1U << (SIGINT - 1) | 1U << (SIGQUIT - 1) | 1U << (SIGTERM - 1);
// When a process still moves bytes this long after it was stopped, something else has continued it: a shell's "fg", or another
// tool.
constexpr std::uint64_t kStoppingMaxNs = 200'000'000;
// No process waits for the disk's other users for longer than this.
constexpr std::uint64_t kHeldMaxNs = 1'000'000'000;
// How often processes that the library holds are looked at: while they move anything, and otherwise.
constexpr std::uint64_t kMovingLookNs = 3'000'000;
constexpr std::uint64_t kLookNs = 20'000'000;
// The interval at which processes are looked at while it is not known which engine holds them.
constexpr std::uint64_t kUnknownLookNs = 5'000'000;
// A process counts as new for this time. While the job ends, new processes are looked at this often.
constexpr std::uint64_t kNewNs = 20'000'000;
constexpr std::uint64_t kNewLookNs = 1'000'000;
// At the job's end the pacer waits for a process that is executing a program. On busy processors the wait may be long.
constexpr std::uint64_t kExecutingNs = 500'000'000;
// How often the job as a whole is settled.
constexpr std::uint64_t kSettleNs = 10'000'000;
constexpr int kFirst = -20;
// The interval at which stopping and continuing threads are attended to.
constexpr std::uint64_t kAttendNs = 2'000'000;

// Asks for short waits for a busy processor: since Linux 6.12 a thread that asks for short turns gets them soon (the slice of EEVDF). Before 6.12
// the request has no effect. Root may also get a higher priority.
void ask_for_short_waits() {
  setpriority(PRIO_PROCESS, 0, kFirst);
  struct {
    std::uint32_t size = 48;  // SCHED_ATTR_SIZE_VER0
    std::uint32_t policy = SCHED_OTHER;
    std::uint64_t flags = 0;
    std::int32_t nice = getpriority(PRIO_PROCESS, 0);
    std::uint32_t priority = 0;
    std::uint64_t runtime_ns = 100'000;
    std::uint64_t deadline_ns = 0;
    std::uint64_t period_ns = 0;
  } const attributes;
  static_assert(sizeof attributes == 48);
  syscall(SYS_sched_setattr, 0, &attributes, 0);
  prctl(PR_SET_TIMERSLACK, 1);
}

// The processor time of this thread.
std::uint64_t thread_cpu_ns() {
  timespec used{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return static_cast<std::uint64_t>(used.tv_sec) * kSecondNs + static_cast<std::uint64_t>(used.tv_nsec);
}

std::uint64_t positive(std::int64_t bytes) {
  return bytes > 0 ? static_cast<std::uint64_t>(bytes) : 0;
}

std::uint64_t rate_of(const Grant& grant) {
  std::uint64_t rate = grant.rate_bytes_per_s;
  for (const std::uint64_t other : {grant.read_rate_bytes_per_s, grant.write_rate_bytes_per_s})
    if (other != 0 && (rate == 0 || other < rate)) rate = other;
  return rate;
}

// How long a process runs until the next look, when it has run for `quiet_ns` without moving anything.
std::uint64_t slice_ns(const Grant& grant, std::uint64_t quiet_ns) {
  const std::uint64_t rate = rate_of(grant);
  if (quiet_ns >= kQuietNs) return kSliceMaxNs;
  if (rate == 0) return kSliceUnratedNs;
  const std::uint64_t bytes = std::max(rate / kSlicesPerSecond, kSliceBytesMin);
  return std::clamp(bytes * (kSecondNs / 1'000'000) / (kMemoryBytesPerSecond / 1'000'000), kSliceMinNs,
                    kSliceMaxNs);
}

// Whether the library holds the process, and its page faults were charged a short while ago.
bool moves_without_calls(const PacedProcess& process, std::uint64_t now_ns) {
  return process.held_by() == HeldBy::library && process.moved_at_ns != 0 &&
         now_ns - process.moved_at_ns < kQuietNs;
}

// The time until the next look at a process that is not held back at the moment.
std::uint64_t look_ns(const PacedProcess& process, std::uint64_t now_ns) {
  if (process.held_by() == HeldBy::unknown) return kUnknownLookNs;
  const bool is_moving = process.grown_at_ns != 0 && now_ns - process.grown_at_ns < kQuietNs;
  return is_moving ? kMovingLookNs : kLookNs;
}

}  // namespace

Pacer::Pacer(protocol::Segment& segment, Paced paced)
    : segment_(segment),
      paced_(std::move(paced)),
      balance_(segment, paced_.are_adopted ? JobBalance::Of::rest : JobBalance::Of::whole_job),
      tree_(segment, paced_),
      sender_(segment),
      grant_sequence_(segment.grant.sequence()) {
  gray::base::allow_many_descriptors();  // two for each process
  if (!paced_.obstacle.empty()) {
    processes_.push_back(std::make_unique<PacedProcess>(segment_, paced_.roots.front(), 0));
    processes_.back()->hold_from_outside(paced_.obstacle);
    processes_.back()->runs_since_ns = monotonic_ns();
    if (paced_.exchange != nullptr) paced_.exchange->note(processes_.back()->pid(), true);
    note(*processes_.back(), true);
  }
  thread_ = std::thread([this] { run(); });
}

Pacer::~Pacer() {
  finish();
}

void Pacer::finish() {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  end_.notify_one();
  if (thread_.joinable()) thread_.join();
}

Growth Pacer::all() {
  const std::lock_guard lock(mutex_);
  return all_;
}

std::vector<Finding> Pacer::take_findings() {
  const std::lock_guard lock(mutex_);
  return std::exchange(findings_, {});
}

void Pacer::note(const PacedProcess& process, bool is_held) {
  const std::lock_guard lock(mutex_);
  findings_.push_back({process.pid(), processes::program_name_of(process.pid()), process.reason(), is_held});
}

void Pacer::run() {
  ask_for_short_waits();
  do {
    const std::uint64_t now_ns = monotonic_ns();
    tree_.follow(now_ns, processes_);
    const std::uint64_t used_ns = thread_cpu_ns();
    look_at_all(monotonic_ns());
    wait_for_orphans(monotonic_ns());
    note_look_cost(thread_cpu_ns() - used_ns, now_ns);
    settle_job(now_ns, JobBalance::When::while_it_runs);
    if (brake_.has_work()) brake_.attend();
  } while (!is_over_at(next_look_ns(monotonic_ns())));
  brake_.let_all_go();
  note_who_stays();
  wait_for_orphans(monotonic_ns());
  charge_the_rest(monotonic_ns());
  processes_.clear();
}

// Time in which this thread waited for a busy processor is not counted as time of the looks.
void Pacer::note_look_cost(std::uint64_t cost_ns, std::uint64_t now_ns) {
  look_cost_ns_ = cost_ns;
  looks_paid_ns_ = std::max(looks_paid_ns_ + kLookWhileNs, now_ns) - kLookWhileNs + kLookCosts * cost_ns;
  looks_paid_ns_ = std::min(looks_paid_ns_, now_ns + kSliceMaxNs);
}

// While a process executes a program it has no image, and it is not known which engine will hold it.
bool Pacer::is_anybody_executing() const {
  return tree_.is_anybody_executing() ||
         std::any_of(processes_.begin(), processes_.end(),
                     [](const auto& process) { return !process->is_image_there() && !process->has_ended(); });
}

// A process that was just started may be about to execute its real program.
bool Pacer::is_anybody_new(std::uint64_t now_ns) const {
  return std::any_of(processes_.begin(), processes_.end(), [now_ns](const auto& process) {
    return process->is_image_there() && process->held_by() != HeldBy::pacer &&
           process->age_ns(now_ns) < kNewNs;
  });
}

void Pacer::note_who_stays() {
  const std::uint64_t start_ns = monotonic_ns();
  std::uint64_t now_ns = start_ns;
  while (true) {
    tree_.look(now_ns, processes_);
    for (const auto& process : processes_) judge(*process);
    const std::uint64_t passed_ns = now_ns - start_ns;
    const bool is_waited_for =
        is_anybody_executing() ? passed_ns < kExecutingNs : passed_ns < kNewNs && is_anybody_new(now_ns);
    if (!is_waited_for) break;
    std::this_thread::sleep_for(std::chrono::nanoseconds(kNewLookNs));
    now_ns = monotonic_ns();
  }
  for (const auto& process : processes_) {
    const HeldBy held_by = process->held_by();
    if (process->has_ended() || held_by == HeldBy::left_alone || held_by == HeldBy::nobody) continue;
    const bool has_library = held_by == HeldBy::library;
    staying_.insert(has_library ? staying_.end() : staying_.begin(), process->pid());
    if (process->look()) moved_by_orphans_ += process->all();
    if (!has_library) ++staying_without_library_;
  }
}

// Charges the bytes that were moved since the last look. No process is stopped for these bytes any more. Children come before their parents, because
// the parents' accounts include the children's bytes.
void Pacer::charge_the_rest(std::uint64_t now_ns) {
  for (std::size_t i = processes_.size(); i-- > 0;)
    if (!processes_[i]->look() && processes_[i]->is_gone()) forget(i);
  for (const auto& process : processes_) {
    const Growth growth = process->take_growth(now_ns);
    gone_ += process->take_missing();
    if (process->held_by() == HeldBy::pacer) charge(*process, growth, now_ns);
  }
  settled_at_ns_ = 0;
  settle_job(now_ns, JobBalance::When::at_its_end);
  guest::Job job{};
  job.segment = &segment_;
  guest::correct(job, 0, -std::exchange(unwritten_bytes_, 0));
}

std::uint64_t Pacer::unpaid_ns(std::uint64_t now_ns) const {
  guest::Job job{};
  job.segment = &segment_;
  const std::uint64_t paid_at_ns =
      std::min(paid_at_ns_, guest::paid_ns(job, guest::grant_now(job, now_ns), now_ns));
  return paid_at_ns > now_ns ? paid_at_ns - now_ns : 0;
}

// Waits until that instant, or until this thread is told to end. Returns whether it was told to end.
bool Pacer::is_over_at(std::uint64_t instant_ns) {
  std::unique_lock lock(mutex_);
  const std::chrono::steady_clock::time_point until{std::chrono::nanoseconds(instant_ns)};  // CLOCK_MONOTONIC
  return end_.wait_until(lock, until, [this] { return is_over_; });
}

void Pacer::look_at_all(std::uint64_t now_ns) {
  for (std::size_t i = processes_.size(); i-- > 0;) {
    PacedProcess& process = *processes_[i];
    if (now_ns < process.look_at_ns) continue;
    judge(process);
    if (!process.look() && process.is_gone()) {
      forget(i);
      continue;
    }
    const Growth growth = process.take_growth(now_ns);
    gone_ += process.take_missing();
    if (growth.is_any()) process.grown_at_ns = now_ns;
    if (process.held_by() == HeldBy::pacer) charge(process, growth, now_ns);
    if (process.held_by() == HeldBy::library) charge_unforeseen(process, now_ns);
    process.look_at_ns = now_ns + look_ns(process, now_ns);
    if (process.held_by() == HeldBy::pacer || process.stopped_at_ns != 0 ||
        moves_without_calls(process, now_ns))
      hold_or_let_go(process, now_ns);
  }
}

// For a process that the library holds: charges the bytes that it moves by page faults, because none of its calls pays for them.
void Pacer::charge_unforeseen(PacedProcess& process, std::uint64_t now_ns) {
  if (segment_.options.is_ledger_on == 0) return;
  const Growth unbooked = process.take_unforeseen(now_ns);
  const Growth found = unbooked + process.take_booked();
  // A process that has lost the job's account settles nothing any more, and runs without a limit. The report at the end says so.
  guest::Job& job = process.job();
  if (!found.is_any() || job.member == nullptr) return;
  if (protocol::is_lost(segment_) || protocol::is_cut_short(paced_.segment_name)) return;
  process.moved_at_ns = now_ns;
  protocol::add(*job.member, Counter::corrected_read_bytes, static_cast<std::uint64_t>(found.read_bytes));
  protocol::add(*job.member, Counter::corrected_write_bytes, static_cast<std::uint64_t>(found.write_bytes));
  book(process, unbooked.read_bytes, unbooked.write_bytes, now_ns);
  process.due_ns = std::max(process.due_ns, guest::correct(job, found.read_bytes, found.write_bytes));
  process.unturned_bytes += positive(found.read_bytes) + positive(found.write_bytes);
}

// If the parent has waited for the process, the bytes of the process are now in the parent's account.
void Pacer::forget(std::size_t place) {
  const PacedProcess& process = *processes_[place];
  const auto parent = std::find_if(processes_.begin(), processes_.end(),
                                   [&](const auto& other) { return other->pid() == process.parent(); });
  if (parent != processes_.end())
    (*parent)->expect_from_child(process);
  else
    gone_ += process.left_to_job();
  if (process.stopped_at_ns != 0) brake_.release(process.pid());
  if (paced_.exchange != nullptr) paced_.exchange->note(process.pid(), false);
  processes_.erase(processes_.begin() + static_cast<std::ptrdiff_t>(place));
}

// A process that outlives its parent becomes a child of this process, and no other process waits for it. When an orphan ended before it was seen,
// the job as a whole owes the bytes that the orphan moved.
void Pacer::wait_for_orphans(std::uint64_t now_ns) {
  if (!paced_.takes_orphans) return;
  while (const pid_t pid = processes::ended_orphan(paced_.roots.front())) {
    const auto known = std::find_if(processes_.begin(), processes_.end(),
                                    [pid](const auto& one) { return one->pid() == pid; });
    const bool is_known = known != processes_.end();
    Growth moved;
    if (is_known && (*known)->look()) {
      PacedProcess& process = **known;
      const Growth growth = process.take_growth(now_ns);
      gone_ += process.take_missing();
      if (process.held_by() == HeldBy::pacer) charge(process, growth, now_ns);
      if (process.held_by() == HeldBy::unknown) unseen_bytes_ += positive(process.all().moved_bytes());
      moved = process.all();
      processes::wait_for_ended(pid);
    } else {
      moved = growth_of(processes::wait_for_ended(pid));
      gone_ += moved;
      unseen_bytes_ += positive(moved.moved_bytes());
    }
    moved_by_orphans_ += moved;
    if (!is_known) continue;
    (*known)->set_parent(0);
    forget(static_cast<std::size_t>(known - processes_.begin()));
  }
}

// The job as a whole owes the bytes that no process was seen to move.
void Pacer::settle_job(std::uint64_t now_ns, JobBalance::When when) {
  if (now_ns - settled_at_ns_ < kSettleNs) return;
  settled_at_ns_ = now_ns;
  Growth all = gone_;
  for (const auto& process : processes_) all += process->all();
  if (paced_.exchange != nullptr) all += paced_.exchange->moved();
  has_anybody_.store(!processes_.empty(), std::memory_order_relaxed);
  has_looked_.store(true, std::memory_order_relaxed);
  is_anybody_standing_.store(std::any_of(processes_.begin(), processes_.end(),
                                         [](const auto& process) { return process->stopped_at_ns != 0; }),
                             std::memory_order_relaxed);
  {
    const std::lock_guard lock(mutex_);
    all_ = all;
  }
  // After the end of left-alone processes their bytes are in their parents' accounts. No process has to pay for these bytes.
  if (has_left_alone_) return;
  const Growth found = balance_.settle(all, now_ns, when);
  if (!found.is_any() || paced_.are_writes_held) return;
  guest::Job job{};
  job.segment = &segment_;
  job_due_ns_ = std::max(job_due_ns_, guest::correct(job, found.read_bytes, found.write_bytes));
  if (unseen_bytes_ == 0) return;
  paid_at_ns_ = std::max(paid_at_ns_, job_due_ns_);
  unseen_bytes_ -= std::min(unseen_bytes_, positive(found.moved_bytes()));
}

void Pacer::judge(PacedProcess& process) {
  const HeldBy before = process.held_by();
  const HeldBy now = process.judge(paced_.preloaded_name, monotonic_ns());
  if (now == before) return;
  if (paced_.exchange != nullptr) paced_.exchange->note(process.pid(), now == HeldBy::pacer);
  if (now == HeldBy::left_alone) has_left_alone_ = true;
  if (now == HeldBy::pacer) {
    process.due_ns = job_due_ns_;  // the process may have moved a part of it
    process.runs_since_ns = monotonic_ns();
  }
  if (now == HeldBy::pacer || now == HeldBy::nobody) note(process, now == HeldBy::pacer);
}

void Pacer::charge(PacedProcess& process, const Growth& unbooked, std::uint64_t now_ns) {
  guest::Job& job = process.job();
  const Growth growth = unbooked + process.take_booked();
  job.member->settled_at_ns.store(now_ns, std::memory_order_relaxed);
  if (!growth.is_any()) return;
  process.moved_at_ns = now_ns;
  const std::int64_t write_bytes = growth.write_bytes - growth.cancelled_bytes;
  unwritten_bytes_ += std::max<std::int64_t>(growth.cancelled_bytes, 0);
  protocol::add(*job.member, Counter::settled_read_bytes, static_cast<std::uint64_t>(growth.read_bytes));
  protocol::add(*job.member, Counter::settled_write_bytes, static_cast<std::uint64_t>(growth.write_bytes));
  protocol::add(*job.member, Counter::corrected_read_bytes, static_cast<std::uint64_t>(growth.read_bytes));
  protocol::add(*job.member, Counter::corrected_write_bytes, static_cast<std::uint64_t>(write_bytes));
  book(process, unbooked.read_bytes, unbooked.write_bytes - unbooked.cancelled_bytes, now_ns);
  const IoEstimate moved{.read_bytes = positive(growth.read_bytes),
                         .write_bytes = less_unwritten(positive(growth.write_bytes))};
  if (paced_.are_writes_held) return;
  const std::uint64_t due_ns = guest::charge(job, guest::grant_now(job, now_ns), moved, {}, now_ns);
  if (paced_.are_reads_held && growth.write_bytes <= 0) return;
  process.due_ns = std::max(process.due_ns, due_ns);
  paid_at_ns_ = std::max(paid_at_ns_, process.due_ns);
  process.unturned_bytes += positive(growth.read_bytes) + positive(growth.write_bytes);
  process.unsent_bytes += positive(growth.write_bytes);
  have_sent(process, now_ns);
  // The growth is negative when the parent's account included a child's bytes before the pacer saw that the child was gone.
  guest::correct(job, std::min<std::int64_t>(growth.read_bytes, 0), std::min<std::int64_t>(write_bytes, 0));
}

// Makes the kernel send, in steps, the data that the process has written.
void Pacer::have_sent(PacedProcess& process, std::uint64_t now_ns) {
  if (process.unsent_bytes < policy::kWriteStepBytesMin) return;
  const std::uint64_t due = due_bytes(guest::grant_now(process.job(), now_ns), process.write_disk());
  if (due == 0 || process.unsent_bytes < due || sender_.is_busy_with(process.pid())) return;
  sender_.ask(process.pid());
  process.unsent_bytes = 0;
}

void Pacer::book(PacedProcess& process, std::int64_t read_bytes, std::int64_t write_bytes,
                 std::uint64_t now_ns) {
  process.find_disks(now_ns);
  guest::book_own_traffic(process.job(), process.read_disk(), read_bytes, 0);
  guest::book_own_traffic(process.job(), process.write_disk(), 0, write_bytes);
}

// Some data is paid for and then removed before it is written. The paid bytes make later writes cheaper, by a fifth at most. If they were used
// at once, they would cause a burst.
std::uint64_t Pacer::less_unwritten(std::uint64_t write_bytes) {
  constexpr std::uint64_t kShare = 5;
  const std::uint64_t less = std::min(write_bytes / kShare, static_cast<std::uint64_t>(unwritten_bytes_));
  unwritten_bytes_ -= static_cast<std::int64_t>(less);
  return write_bytes - less;
}

// The instant until which the process is held: because its bytes are not paid, or because others use the disk.
std::uint64_t Pacer::held_until(PacedProcess& process, std::uint64_t now_ns) {
  guest::Job& job = process.job();
  const Grant grant = guest::grant_now(job, now_ns);
  if ((grant.flags & kPaused) != 0) return now_ns + kStandLookNs;
  if (const std::uint64_t sequence = segment_.grant.sequence(); sequence != grant_sequence_) {
    grant_sequence_ = sequence;
    job_due_ns_ = 0;
    paid_at_ns_ = 0;
    for (const auto& each : processes_) each->due_ns = 0;  // a debt under the old grant is forgotten
  }
  if (process.due_ns > now_ns)
    process.due_ns = std::min(process.due_ns, guest::latest_paid_ns(job, grant, now_ns));
  const bool is_worth_it = process.stopped_at_ns != 0 || process.due_ns > now_ns + kStandMinNs;
  if (process.due_ns > now_ns && is_worth_it) return process.due_ns;
  if (process.unturned_bytes == 0) return now_ns;
  const bool is_held_too_long = process.stopped_at_ns != 0 && now_ns - process.stopped_at_ns > kHeldMaxNs;
  for (protocol::Disk* disk : {process.read_disk(), process.write_disk()}) {
    if (disk == process.turn_at && disk != nullptr) continue;
    const std::uint64_t until_ns = guest::ask_for_turn(job, disk, process.unturned_bytes, now_ns);
    if (until_ns > now_ns && !is_held_too_long) return until_ns;
    process.turn_at = disk;
  }
  process.turn_at = nullptr;
  process.unturned_bytes = 0;
  return now_ns;
}

void Pacer::hold_or_let_go(PacedProcess& process, std::uint64_t now_ns) {
  if (now_ns < process.let_run_until_ns) {
    process.look_at_ns = std::min(now_ns + kSliceMaxNs, process.let_run_until_ns);
    return;
  }
  const std::uint64_t until_ns = held_until(process, now_ns);
  book_standing(process, now_ns);
  if (until_ns > now_ns) {
    if (process.stopped_at_ns == 0)
      stop(process, now_ns);
    else if (process.grown_at_ns > process.stopped_at_ns + kStoppingMaxNs)
      brake_.stop_again(process.pid());
    const bool is_told_to_end =
        process.stopped_at_ns != 0 && (processes::waiting_signals(process.pid()) & kEndingSignals) != 0;
    if (is_told_to_end) {
      was_anybody_told_to_end_ = true;
      let_go(process, now_ns);
      process.let_run_until_ns = now_ns + kSignalNs;
      return;
    }
    process.look_at_ns = std::min(until_ns, now_ns + kStandLookNs);
    return;
  }
  if (process.stopped_at_ns != 0) let_go(process, now_ns);
  if (paced_.are_writes_held) {
    process.look_at_ns = now_ns + kLookNs;
    return;
  }
  const std::uint64_t busy_at_ns =
      std::max(process.moved_at_ns, process.runs_since_ns);  // may be after `now_ns`
  process.look_at_ns =
      now_ns + slice_ns(guest::grant_now(process.job(), now_ns), now_ns - std::min(now_ns, busy_at_ns));
}

// A process that uses a file system whose server is stopped also comes to a halt. This thread would halt too when it looks at such a process.
// So the server is not stopped, and the other processes pay for the bytes that it moves.
bool Pacer::serves_others(const PacedProcess& process) const {
  return processes::serves_files(process.pid()) &&
         std::any_of(processes_.begin(), processes_.end(),
                     [](const auto& other) { return !processes::serves_files(other->pid()); });
}

void Pacer::stop(PacedProcess& process, std::uint64_t now_ns) {
  if (!process.is_image_there() || serves_others(process)) return;
  const int error = brake_.stop(process.pid());
  if (error != 0 && !process.is_image_there()) return;  // the process has ended meanwhile
  if (error == 0) {
    process.stopped_at_ns = process.stood_until_ns = now_ns;
    if (process.job().member != nullptr) protocol::add(*process.job().member, Counter::waits, 1);
    return;
  }
  const bool has_library = process.held_by() == HeldBy::library;
  process.give_up((has_library ? "moves data by page faults" : process.reason()) +
                  ", and the kernel lets us not stop it");
  note(process, false);
}

// Counts the stop at each look. So an observer of the job sees that the process waits while the stop lasts.
void Pacer::book_standing(PacedProcess& process, std::uint64_t now_ns) {
  if (process.stopped_at_ns == 0 || process.job().member == nullptr) return;
  protocol::add(*process.job().member, Counter::slept_ns, now_ns - process.stood_until_ns);
  process.stood_until_ns = now_ns;
}

void Pacer::let_go(PacedProcess& process, std::uint64_t now_ns) {
  brake_.release(process.pid());
  book_standing(process, now_ns);
  process.stopped_at_ns = 0;
  process.runs_since_ns = now_ns;
}

std::uint64_t Pacer::next_look_ns(std::uint64_t now_ns) const {
  std::uint64_t next_ns = now_ns + kSliceMaxNs;
  if (brake_.has_work()) next_ns = now_ns + kAttendNs;
  for (const auto& process : processes_) next_ns = std::min(next_ns, process->look_at_ns);
  const std::uint64_t unpaid_max_ns =
      brake_.has_work() ? kAttendNs : std::clamp(kLookCostsMin * look_cost_ns_, kAttendNs, kSliceMaxNs);
  return std::max(next_ns, std::min(looks_paid_ns_, now_ns + unpaid_max_ns));
}

}  // namespace discnice::pace
