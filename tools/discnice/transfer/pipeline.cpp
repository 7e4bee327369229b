// SPDX-License-Identifier: MIT
#include "tools/discnice/transfer/pipeline.hpp"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "toolbox/base/clock.hpp"
#include "toolbox/base/raw_sys.hpp"
#include "tools/discnice/descriptor/file_locks.hpp"
#include "tools/discnice/descriptor/file_position.hpp"
#include "tools/discnice/descriptor/free_pass.hpp"
#include "tools/discnice/descriptor/open_files.hpp"
#include "tools/discnice/descriptor/warm_streak.hpp"
#include "tools/discnice/job/budget.hpp"
#include "tools/discnice/job/dirty_table.hpp"
#include "tools/discnice/job/try_lock.hpp"
#include "tools/discnice/kernel/account.hpp"
#include "tools/discnice/kernel/disk_watch.hpp"
#include "tools/discnice/kernel/residency.hpp"
#include "tools/discnice/observe/profiling.hpp"
#include "tools/discnice/observe/recording.hpp"
#include "tools/discnice/policy/floor.hpp"
#include "tools/discnice/policy/lanes.hpp"
#include "tools/discnice/policy/lumps.hpp"
#include "tools/discnice/policy/registry.hpp"
#include "tools/discnice/predictor/cache_model.hpp"
#include "tools/discnice/predictor/predictor.hpp"
#include "tools/discnice/predictor/spliced_read.hpp"
#include "tools/discnice/protocol/guarded_word.hpp"
#include "tools/discnice/protocol/segment.hpp"
#include "tools/discnice/throttle/handler_mask.hpp"
#include "tools/discnice/throttle/throttle.hpp"
#include "tools/discnice/transfer/engine.hpp"
#include "tools/discnice/transfer/far_writes.hpp"
#include "tools/discnice/transfer/own_cache.hpp"
#include "tools/discnice/transfer/smooth_writes.hpp"

namespace discnice::shim {
namespace {

using gray::base::is_raw_error;
using gray::base::monotonic_coarse_ns;
using gray::base::monotonic_ns;
using gray::base::raw_syscall;
using gray::base::word;
using protocol::Counter;

// A paused job looks up this often by itself; that it goes on is felt within a slice of the wait.
constexpr std::uint64_t kPauseNs = 1'000'000'000;
// Nobody is held back by the disk's other users for longer while no other member waits for its turn.
constexpr std::uint64_t kHeldMaxNs = 1'000'000'000;
// A part of a call that is believed to be free anyway; bounded, as the belief may be wrong.
constexpr std::uint64_t kWarmPartBytes = 4UL * 1024 * 1024;
// Calls after an interrupted wait that do not wait either: a read, a write and some to spare.
constexpr std::uint32_t kGraceCalls = 4;
// So long after an interrupted wait, and up to so much, small calls do not wait either: an interpreter that was told
// to stop opens, reads and closes dozens of cached files on its way out, and writes a page of log. Calls that bring
// in a window of read-ahead do wait, so a program's own timer cannot undo the limit.
constexpr std::uint64_t kGraceCostBytes = 64 * 1024;
constexpr std::uint64_t kGraceNs = 200'000'000;

// So many reads of a file after one that brought something in may wait for what was read ahead: as many as a window has blocks.
constexpr std::uint32_t kAwaitedReads = 64;

// A removal changes an inode, a folder's entry and a block's worth of bitmap or extents for so much of the file.
constexpr std::uint64_t kRemovalBytes = 512;
constexpr std::uint64_t kRemovalShare = 1024;
constexpr std::uint64_t kSectorBytes = 512;  // of st_blocks
// A journal's commit, as far as it is anybody's: its blocks, and where the head has to go for them.
constexpr std::uint64_t kSyncBytes = 64 * 1024;

constinit predictor::CacheShape cache_shape;
constinit throttle::HandlerMask handler_mask;

// What a wait needs to know about the job; lives on the stack of the waiting call.
struct WaitContext {
  Job& job;
  std::uint64_t grant_sequence;
  std::uint64_t start_at_ns;
  bool is_debt;               // it waits for an account, and not for the disk's other users
  std::uint64_t shared_rate;  // of a job that shares: what it was lent when the wait began
  throttle::SignalHold& signals;
};

// Where an operation goes. Of a copy the read is booked already when its write asks, and not done: to compare with the kernel's
// account then would take it for a mistake. The write goes along with its read.
struct Place {
  protocol::Disk* disk;
  Looking looking = Looking::afresh;
};

// What an operation asks of a disk, with what was found out too late about those before it.
struct Demand {
  Place place;
  std::uint64_t bytes;
};

std::uint64_t now_in_wait(void* /*context*/) {
  return monotonic_ns();
}

int sleep_in_wait(void* context, std::uint64_t instant_ns) {
  return throttle::sleep_until(instant_ns, static_cast<WaitContext*>(context)->signals.program_mask());
}

// The calls that wait are cancellation points and so the wait has to be one; nothing is held here. Asked
// after each slice. A thread that is cancelled unwinds through these frames, whose unwind tables the build
// keeps.
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

// A person's Ctrl-C must be felt at once; a program's 100 Hz timer must not undo the limit. So a wait gives
// way to a signal, and the next few calls do not wait either, for the program may only look at its flag after
// writing what it has read; but no wait gives way again until all that was put off by it is paid. Handlers
// run on time in any case.
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

// True when this call belongs to those that follow a wait which gave way to a signal.
bool takes_grace(protocol::Member& member, std::uint64_t cost_bytes, std::uint64_t now_ns) {
  std::uint32_t left = member.grace_calls.load(std::memory_order_relaxed);
  while (left > 0) {
    const std::uint32_t next = left <= kGraceCalls ? left - 1 : 0;  // more than are ever given: a wrong byte
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

// Puts a wait off: the next call pays it, and no further signal ends a wait before it is paid.
void owe_until(protocol::Member& member, std::uint64_t instant_ns) {
  raise_to(member.owed_until_ns, instant_ns);
  raise_to(member.yielded_until_ns, instant_ns);
  void_passes();
}

bool is_first_thread() {
  return raw_syscall(SYS_gettid) == raw_syscall(SYS_getpid);
}

// What waits in a handler has been told to stop already: it gives way as a wait does in which the signal comes.
bool gives_way_in_handler(WaitContext& context, bool is_first) {
  return is_first && handler_mask.is_in_handler(context.signals.program_mask()) &&
         may_yield_to_signal(&context);
}

// Waits until the context's instant, or as long as it may.
throttle::WaitEnd sleep_until_due(WaitContext context) {
  Job& job = context.job;
  const bool is_first = is_first_thread();
  context.signals.begin();
  const throttle::Sleeper sleeper{&context, now_in_wait, sleep_in_wait, is_revoked, may_yield_to_signal};
  throttle::WaitReport report{0, throttle::WaitEnd::interrupted};
  if (!gives_way_in_handler(context, is_first)) report = throttle::wait({context.start_at_ns}, sleeper);
  if (is_first && report.end == throttle::WaitEnd::due)
    handler_mask.note_waited(context.signals.program_mask());
  protocol::add(*job.member, Counter::slept_ns, report.slept_ns);
  if (report.end == throttle::WaitEnd::interrupted) protocol::add(*job.member, Counter::interrupted_waits, 1);
  if (report.end == throttle::WaitEnd::refused) protocol::add(*job.member, Counter::fallbacks, 1);
  return report.end;
}

// A debt is paid at another instant when the job is lent another rate, or when what a killed member had reserved went back to
// the account.
void move_debt(WaitContext& wait) {
  const std::uint64_t now_ns = monotonic_ns();
  const Grant grant = grant_now(wait.job, now_ns);
  const std::uint64_t rate = shared_rate_of(grant);
  const std::uint64_t moved_ns = protocol::at_other_rate(wait.start_at_ns, wait.shared_rate, rate, now_ns);
  const std::uint64_t latest_ns = latest_paid_ns(wait.job, grant, now_ns);
  wait.start_at_ns = moved_ns < latest_ns ? moved_ns : latest_ns;
  wait.shared_rate = rate;
}

// Waits until what was charged is paid; what is left stays owed and is paid by the process's next call. False: a signal ended it.
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

// When the operation may be asked for again: now, or an instant to sleep to first. `now_ns` when it may go.
std::uint64_t held_until(Job& job, const Demand& demand, std::uint64_t now_ns) {
  const Grant grant = grant_now(job, now_ns);
  if ((grant.flags & kPaused) != 0) return now_ns + kPauseNs;
  const policy::Policy& policy = policy_on(job, demand.place.disk, grant);
  DiskActivity activity;
  if (policy.hold == nullptr || demand.place.disk == nullptr || demand.place.looking == Looking::as_known ||
      !look_at_disk(job, *demand.place.disk, demand.place.looking, grant, now_ns, &activity))
    return now_ns;
  std::uint64_t word = job.segment->last_go.load(std::memory_order_relaxed);
  const std::uint64_t went_ns = protocol::unpack_instant(word, now_ns);
  const policy::State last_go{went_ns < now_ns ? went_ns : now_ns};
  const policy::Decision decision = policy.hold(last_go, grant, activity, demand.bytes, now_ns);
  if (decision.verdict.start_at_ns > now_ns) {
    const std::uint64_t next_look_ns = now_ns + kLookNs;
    return decision.verdict.start_at_ns < next_look_ns ? decision.verdict.start_at_ns : next_look_ns;
  }
  // Of several that wait for one turn, one gets it.
  const std::uint64_t next = protocol::pack_instant(decision.next.paid_until_ns);
  const bool is_mine = job.segment->last_go.compare_exchange_strong(word, next, std::memory_order_relaxed);
  return is_mine ? now_ns : now_ns + 1;
}

// Until when an operation may have been held back by others: the job gets a turn within this time, and every other member one before us.
std::uint64_t held_at_most_until(const Job& job, std::uint64_t since_ns) {
  return since_ns + kHeldMaxNs + policy::kTurnNs * protocol::count_alive(*job.segment, job.pid_namespace);
}

// Waits while the job is paused, or its policy gives way to the disk's other users. False: a signal ended it.
bool wait_while_held(Job& job, const Demand& demand, throttle::SignalHold& signals) {
  bool has_waited = false;
  const std::uint64_t since_ns = monotonic_ns();
  std::uint64_t look_ns = since_ns + kHeldMaxNs;  // whether that is too long: a walk over all members
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

// What this process owes from before; not more than the accounts can have brought about. More may be a wrong byte, and stays there no longer.
std::uint64_t owed_until(Job& job, const Grant& grant, std::uint64_t now_ns) {
  std::uint64_t owed_ns = job.member->owed_until_ns.load(std::memory_order_relaxed);
  if (owed_ns <= now_ns) return owed_ns;
  const std::uint64_t latest_ns = latest_paid_ns(job, grant, now_ns);
  if (owed_ns <= latest_ns) return owed_ns;
  job.member->owed_until_ns.compare_exchange_strong(owed_ns, latest_ns, std::memory_order_relaxed);
  return latest_ns;
}

// While others use the disk a rate is spent in portions.
Portion portion_now(Job& job, const Grant& grant, const Demand& demand, std::uint64_t now_ns) {
  DiskActivity activity;
  if (demand.bytes == 0 || demand.place.disk == nullptr || grant.rate_bytes_per_s == 0) return {};
  if (!look_at_disk(job, *demand.place.disk, demand.place.looking, grant, now_ns, &activity)) return {};
  return {policy::lump_ns(grant.rate_bytes_per_s, activity, now_ns), policy::saved_ns_max(activity, now_ns)};
}

// Asks the policy for this cost and moves the shared accounts; the later of its answer and of the debt is when to start. Returns
// whether the call may wait again: not when it was not allowed to, and not after a signal.
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
    // Should we be killed in this wait, what we were charged goes back to the job.
    job.member->reserved_bytes.fetch_add(estimate.cost_bytes(), std::memory_order_relaxed);
    const bool is_paid = wait_until_paid(job, start_at_ns, sequence, signals);
    protocol::give_back_reserved(*job.member, estimate.cost_bytes());
    if (!is_paid) return false;
  }
  // A grant that was changed meanwhile may hold the job back where the old one did not.
  return demand.bytes == 0 || wait_while_held(job, demand, signals);
}

// Finds the entry of a descriptor and makes sure it is classified. Null: not charged (or not to be known
// now).
OpenFile* charged_file(Job& job, int fd) {
  OpenFile* file = find_open_file(fd);
  if (file == nullptr) return nullptr;
  FileClass file_class = file->file_class.load(std::memory_order_acquire);
  if (file_class == FileClass::unknown) {
    const TryLock lock(file->lock, job.epoch);
    if (!lock) {
      lose_position(*file);  // what is read or written now is not counted
      return nullptr;
    }
    classify(*job.segment, *file, fd);
    file_class = file->file_class.load(std::memory_order_relaxed);
    note_class(file_class == FileClass::charged ? file->device : nullptr);
    if (file_class == FileClass::charged) share_streak(job, *file->device);
  }
  return file_class == FileClass::charged ? file : nullptr;
}

// Where the transfer starts; false when the descriptor has no position.
bool find_offset(OpenFile& file, const Transfer& transfer, std::uint64_t* offset_bytes) {
  if (transfer.kind == OpKind::write && file.is_append) {
    *offset_bytes = file.size_bytes;
    return true;
  }
  if (transfer.offset_bytes >= 0) {
    *offset_bytes = static_cast<std::uint64_t>(transfer.offset_bytes);
    return true;
  }
  return find_position(file, transfer.fd, transfer.length_bytes, offset_bytes);
}

// A read waits for what it was foretold to bring in, or as some of those before it did.
bool may_tell(OpenFile& file, std::uint64_t read_bytes) {
  const std::uint32_t left = file.awaited_reads.load(std::memory_order_relaxed);
  if (read_bytes == 0 && left == 0) return false;
  file.awaited_reads.store(read_bytes != 0 ? kAwaitedReads : left - 1, std::memory_order_relaxed);
  return true;
}

void expect_waits(int fd) {
  if (OpenFile* file = known_open_file(fd); file != nullptr)
    file->awaited_reads.store(kAwaitedReads, std::memory_order_relaxed);
}

// What a transfer has moved its descriptor by. A copy may have moved it by less, or not at all.
void follow_position(const Transfer& transfer, ssize_t result) {
  if (transfer.offset_bytes >= 0) return;
  OpenFile* file = known_open_file(transfer.fd);
  if (file == nullptr) return;
  if (transfer.is_copy) return lose_position(*file);
  note_moved(*file, result);
}

bool is_known_cached(const OpenFile& file, const Transfer& transfer, std::uint64_t now_ns) {
  const predictor::Belief& belief = file.state.belief;
  return transfer.kind == OpKind::read && !file.is_direct && now_ns < belief.expires_ns &&
         belief.first_page == 0 && belief.end_page * kPageBytes >= file.size_bytes &&
         file.state.readahead.unused_markers == 0 && file.size_bytes > 0;
}

IoEstimate estimate_reading(Job& job, OpenFile& file, const Transfer& transfer, const IoOp& op,
                            const predictor::ResidencyOracle& oracle, std::uint64_t now_ns) {
  if ((job.segment->options.disabled_models & protocol::kWithoutReadahead) != 0)
    return predictor::estimate_read_alone(op, oracle);
  if (transfer.is_copy)
    return predictor::estimate_spliced_read(op, kCallBytesMax, file.state, cache_shape, oracle, now_ns);
  return predictor::estimate_read(op, file.state, cache_shape, oracle, now_ns);
}

IoEstimate estimate_writing(Job& job, OpenFile& file, const IoOp& op,
                            const predictor::ResidencyOracle& oracle, std::uint64_t now_ns) {
  if ((job.segment->options.disabled_models & protocol::kWithoutWrites) != 0)
    return {.write_bytes = op.length_bytes};
  HeldTable table(job);
  if (table) return predictor::estimate_write(op, file.state, table->regions, oracle, now_ns);
  protocol::add(*job.member, Counter::fallbacks, 1);
  return {.write_bytes = op.length_bytes};
}

// Of a write behind the end no page is there to be read first: nothing has to be asked about the cache, nor how it may be.
bool is_behind_end(const IoOp& op) {
  return op.kind == OpKind::write && op.offset_bytes / kPageBytes * kPageBytes >= op.file_size_bytes;
}

IoEstimate estimate(Job& job, OpenFile& file, const Transfer& transfer, const IoOp& op, std::uint64_t now_ns,
                    AnswerLog& log) {
  if (is_behind_end(op)) return estimate_writing(job, file, op, log.listen({}), now_ns);
  const bool is_cache_known = (job.segment->options.disabled_models & protocol::kWithoutCache) == 0;
  const Residency residency(file, transfer.fd, job.segment->options, *job.member);
  const predictor::ResidencyOracle oracle =
      log.listen(is_cache_known ? residency.oracle() : predictor::ResidencyOracle{});
  return op.kind == OpKind::read ? estimate_reading(job, file, transfer, op, oracle, now_ns)
                                 : estimate_writing(job, file, op, oracle, now_ns);
}

bool is_whole_file(const IoOp& op) {
  return op.kind == OpKind::read && op.offset_bytes == 0 && op.file_size_bytes != 0 &&
         op.length_bytes >= op.file_size_bytes;
}

// One that reads a long file through, and has found it in memory so far, need not be told so window by window.
void look_ahead(Job& job, OpenFile& file, int fd, std::uint64_t end_bytes) {
  const predictor::Belief& belief = file.state.belief;
  const bool is_read_through = belief.first_page * kPageBytes + kLookAheadBytesMin <= end_bytes &&
                               belief.end_page * kPageBytes >= end_bytes;
  if (!is_read_through || file.is_direct) return;
  const std::uint64_t missing_bytes = take_missing_for_streak(job, *file.device);
  if (missing_bytes == 0 || file.size_bytes < end_bytes + missing_bytes) return;
  const Residency residency(file, fd, job.segment->options, *job.member);
  const std::uint64_t pages = missing_bytes / kPageBytes;
  if (residency.oracle().is_exact() &&
      predictor::count_absent(residency.oracle(), end_bytes / kPageBytes, pages) == 0)
    note_free_read(missing_bytes);
}

// Fills in the charge of a transfer; false when the model had to be left alone.
bool predict(Job& job, OpenFile& file, Transfer& transfer, Charge* charge) {
  const TryLock lock(file.lock, job.epoch);
  if (!lock) {
    protocol::add(*job.member, Counter::fallbacks, 1);
    return false;
  }
  learn_details(file, transfer.fd);
  const std::uint64_t now_ns = monotonic_coarse_ns();
  const bool is_size_fresh = file.is_size_fresh;
  file.is_size_fresh = false;
  if (!is_recording(job) && is_known_cached(file, transfer, now_ns)) {
    transfer.is_known_free = true;
    return true;
  }
  IoOp op{transfer.kind,      file.id, 0, transfer.length_bytes, file.size_bytes, file.is_direct,
          file.is_synchronous};
  if (!find_offset(file, transfer, &op.offset_bytes)) return true;
  transfer.is_going_on = op.offset_bytes == file.state.readahead.previous_end_bytes;
  // The size matters when the transfer reaches beyond what is known of it: the file may have grown, or be
  // another one.
  const bool is_new = op.kind == OpKind::write && file.is_new.load(std::memory_order_relaxed);
  if (op.offset_bytes + op.length_bytes > file.size_bytes) {
    // What was written to a new file was written here, so far as it matters: only one who appends has to know where that is.
    const bool is_size_known = is_size_fresh || (is_new && !file.is_append);
    if (!is_size_known && !refresh_size(file, transfer.fd)) return false;
    op.file_size_bytes = file.size_bytes;
    if (op.kind == OpKind::write && file.is_append) op.offset_bytes = file.size_bytes;
  }
  const std::uint64_t end_bytes = op.offset_bytes + op.length_bytes;
  charge->is_overwrite = op.kind == OpKind::write && op.offset_bytes < op.file_size_bytes;
  // What was not written to a new file is a hole, and what was lies in memory: nothing of it has to be read first.
  if (is_new) op.file_size_bytes = 0;
  if (op.kind == OpKind::write && end_bytes > file.size_bytes)
    note_grown(job, file, op.offset_bytes > file.size_bytes ? op.offset_bytes : file.size_bytes, end_bytes);
  AnswerLog log(job);
  charge->estimate = estimate(job, file, transfer, op, now_ns, log);
  transfer.record_number = log.record(op, file, transfer.fd, transfer.is_copy, charge->estimate, now_ns);
  charge->is_ledger_kept = file.device->is_ledger_kept;
  if (charge->estimate.read_bytes == 0 && is_whole_file(op)) note_free_file(*file.device);
  if (op.kind == OpKind::read && charge->estimate.read_bytes == 0 && !transfer.is_copy)
    look_ahead(job, file, transfer.fd, end_bytes);
  if (op.kind == OpKind::write && end_bytes > file.size_bytes) file.size_bytes = end_bytes;
  return true;
}

// Lets a read of a warm streak by: the account will tell. The model has missed a read and must not reason from its last.
bool passes_unpredicted(Job& job, OpenFile& file, Transfer& transfer) {
  transfer.unpredicted_at_ns = 0;
  if (transfer.kind != OpKind::read || !is_in_warm_streak(job, file)) return false;
  const TryLock lock(file.lock, job.epoch);
  if (!lock) return false;
  file.is_size_fresh = false;
  predictor::forget_reads(file.state);
  transfer.unpredicted_at_ns = monotonic_ns();
  transfer.is_known_free = file.has_details && !file.is_direct;
  return true;
}

// Lets a read by of a file that nothing is known of but that many like it, just opened, were in the streak.
bool passes_unseen(Job& job, Transfer& transfer) {
  if (transfer.kind != OpKind::read || transfer.is_copy) return false;
  OpenFile* file = find_open_file(transfer.fd);
  if (file == nullptr || file->file_class.load(std::memory_order_acquire) != FileClass::unknown) return false;
  if (!is_assumed_warm(job, *file, transfer.length_bytes)) return false;
  protocol::add(*job.member, Counter::calls, 1);
  transfer.may_wait = admit(job, IoEstimate{}, {last_disk()}, transfer.may_wait, *transfer.signals);
  transfer.unpredicted_at_ns = monotonic_ns();
  return true;
}

// Whether a read took no longer than a copy from the page cache does, generously: 1 GB/s after a start.
bool is_cached_time(std::uint64_t elapsed_ns, std::uint64_t bytes) {
  constexpr std::uint64_t kStartNs = 20'000;
  return elapsed_ns < kStartNs + bytes;
}

// An unpredicted read came from the disk after all: the model is brought to where the kernel is now, as after a miss.
void catch_up(Job& job, const Transfer& transfer, std::uint64_t read_bytes) {
  OpenFile* file = charged_file(job, transfer.fd);
  if (file == nullptr) return;
  const TryLock lock(file->lock, job.epoch);
  if (!lock) return;
  learn_details(*file, transfer.fd);
  IoOp op{OpKind::read, file->id, 0, read_bytes, file->size_bytes, file->is_direct};
  if (!find_offset(*file, transfer, &op.offset_bytes)) return;
  if (transfer.offset_bytes < 0) op.offset_bytes -= read_bytes;  // the position has moved on already
  constexpr predictor::ResidencyOracle kNothingResident;
  predictor::estimate_read(op, file->state, cache_shape, kNothingResident, monotonic_coarse_ns());
}

void note_charge(Job& job, const Charge& charge) {
  if (charge.estimate.read_bytes != 0) end_warm_streak(job);
  if (charge.estimate.cost_bytes() == 0) return;
  protocol::add(*job.member, Counter::charged_calls, 1);
  note_prediction(job, charge);
}

protocol::CallClass class_of(const Transfer& transfer) {
  if (transfer.is_copy) return protocol::CallClass::copy;
  return transfer.kind == OpKind::read ? protocol::CallClass::read : protocol::CallClass::write;
}

// Books to the class, and records, what the call has done. A copy is two transfers of one call: its reads go to one, its writes to the other.
void note_outcome(Job& job, const Transfer& transfer, ssize_t result) {
  const ThreadAccount after = read_thread_account();
  ThreadAccount booked{after.read_bytes - transfer.account_before.read_bytes,
                       after.write_bytes - transfer.account_before.write_bytes};
  if (transfer.is_copy) (transfer.kind == OpKind::read ? booked.write_bytes : booked.read_bytes) = 0;
  const bool do_count = result > 0 && !(transfer.is_copy && transfer.kind == OpKind::write);
  if (is_verifying(job))
    note_class_outcome(job, class_of(transfer), do_count ? static_cast<std::uint64_t>(result) : 0, booked);
  record_outcome(job, transfer.record_number, transfer.kind, class_of(transfer), result, booked);
}

void note_creation_outcome(Job& job, const Creation& made) {
  const ThreadAccount after = read_thread_account();
  const ThreadAccount booked{after.read_bytes - made.account_before.read_bytes,
                             after.write_bytes - made.account_before.write_bytes};
  if (is_verifying(job)) note_class_outcome(job, protocol::CallClass::create, 0, booked);
  record_outcome(job, 0, OpKind::create, protocol::CallClass::create, 0, booked);
}

// How much a pipe or socket has ready, of at most `part`; when it has nothing yet, a pipe's usual load.
std::uint64_t waiting_bytes(int fd, std::uint64_t part) {
  int bytes = 0;
  if (is_raw_error(raw_syscall(SYS_ioctl, fd, FIONREAD, word(&bytes)))) return part;
  const std::uint64_t ready = bytes > 0 ? static_cast<std::uint64_t>(bytes) : predictor::kSpliceBytes;
  return ready < part ? ready : part;
}

// The next small reads of a descriptor that needed no disk need not come this way.
void offer_pass(Job& job, const Transfer& transfer) {
  if (!transfer.is_known_free || is_measured(job) || has_debt(job)) return;
  OpenFile* file = known_open_file(transfer.fd);
  if (file == nullptr || file->file_class.load(std::memory_order_acquire) != FileClass::charged) return;
  lose_position(*file);
  give_pass(*file, transfer.pass_term);
  engine::prepare_quick_calls();
}

// One of many alike that was looked at, and is what those before it were taken for, is read on trust as they are; a long one is foretold.
void offer_sample_pass(Job& job, OpenFile& file) {
  const std::uint32_t term = pass_term();
  if (!file.is_sample.load(std::memory_order_relaxed) || file.size_bytes > kAssumedBytesMax) return;
  if (has_debt(job)) return;
  if (!are_files_alike() || !is_in_warm_streak(job, file)) return;
  lose_position(file);
  give_pass(file, term);
  go_on_assuming();
}

// What goes to the disk in steps waits there; in memory it is in nobody's way.
bool waits_when_sent(const Job& job, const OpenFile& file, const Transfer& transfer) {
  return transfer.kind == OpKind::write && transfer.signals != nullptr && !is_verifying(job) &&
         is_sent_in_steps(job, protocol::load_grant(*job.segment), file);
}

// What was sent to the disk is dirty no longer: writing there again will cost again.
void note_sent(Job& job, const OpenFile& file) {
  HeldTable table(job);
  if (table) table->regions.clear(file.id);
  if (table) record_operation(job, {OpKind::settle, file.id}, {}, monotonic_coarse_ns());
}

void smooth(Job& job, const Transfer& transfer, std::uint64_t bytes) {
  OpenFile* file = charged_file(job, transfer.fd);
  if (file == nullptr || transfer.signals == nullptr || is_verifying(job)) return;
  const bool is_sent = file->device->is_served
                           ? flush_far_after_write(job, *file, transfer.fd, bytes)
                           : smooth_after_write(job, *file, transfer.fd, bytes, *transfer.signals);
  if (is_sent) note_sent(job, *file);
}

// Removals cost something only where a job is held back at all.
bool does_charge_removals(const Job& job) {
  if (is_verifying(job)) return false;
  const Grant grant = protocol::load_grant(*job.segment);
  return (grant.flags & kPaused) != 0 || policy::policy_by_id(grant.policy_id).hold != nullptr ||
         policy::has_limit(grant);
}

// What taking away `bytes` of a file costs: its metadata, more of it the larger the file.
void admit_removal(Job& job, std::uint64_t bytes) {
  if (!does_charge_removals(job)) return;
  throttle::SignalHold signals;
  admit(job, {.write_bytes = kRemovalBytes + bytes / kRemovalShare}, {last_disk()}, true, signals);
}

// The page a read has just returned must count as resident; else the kernel's count lies on this device.
void test_backend(const Transfer& transfer, ssize_t result) {
  OpenFile* file = find_open_file(transfer.fd);
  if (file == nullptr || file->file_class.load(std::memory_order_acquire) != FileClass::charged ||
      file->is_direct)
    return;
  if (file->device->count_verdict.load(std::memory_order_relaxed) != CountVerdict::untested) return;
  const long end = transfer.offset_bytes >= 0 ? transfer.offset_bytes + result
                                              : raw_syscall(SYS_lseek, transfer.fd, 0, SEEK_CUR);
  if (end > 0) test_count(*file, transfer.fd, static_cast<std::uint64_t>(end - 1) / kPageBytes);
}

}  // namespace

bool before_transfer(Job& job, Transfer& transfer) {
  transfer.record_number = 0;
  transfer.telling.disk = nullptr;
  transfer.is_known_free = false;
  transfer.pass_term = pass_term();
  if (passes_unseen(job, transfer)) return true;
  if (transfer.kind == OpKind::write && !transfer.is_copy &&
      is_written_to_memory(transfer.fd, transfer.length_bytes))
    return false;
  OpenFile* file = charged_file(job, transfer.fd);
  if (file == nullptr) return false;
  protocol::add(*job.member, Counter::calls, 1);
  Charge charge;
  if (!passes_unpredicted(job, *file, transfer) && !predict(job, *file, transfer, &charge)) charge = Charge{};
  if (charge.estimate.cost_bytes() != 0 && is_profiling(job)) profile_call(job, charge.estimate);
  charge.disk = disk_of(job, *file->device);
  const bool has_pending_read = transfer.is_copy && transfer.kind == OpKind::write &&
                                job.member->pending_read_bytes.load(std::memory_order_relaxed) != 0;
  const bool is_held_later = has_pending_read || waits_when_sent(job, *file, transfer);
  const Place place{charge.disk, is_held_later ? Looking::as_known : Looking::afresh};
  transfer.may_wait = admit(job, charge.estimate, place, transfer.may_wait, *transfer.signals);
  note_charge(job, charge);
  if (is_verifying(job)) note_class_prediction(job, class_of(transfer), charge.estimate);
  if (is_measured(job)) transfer.account_before = read_thread_account();
  if (transfer.kind == OpKind::read && may_tell(*file, charge.estimate.read_bytes)) {
    const CallKind kind = transfer.is_going_on ? CallKind::read_on : CallKind::read_start;
    transfer.telling = begin_call(job, charge.disk, kind);
  }
  return true;
}

void before_call(Job& job, const Transfer& transfer) {
  OpenFile* file = known_open_file(transfer.fd);
  if (file != nullptr && file->fetched_count != 0) note_brought_in(job, *file, transfer.fd);
}

void after_transfer(Job& job, const Transfer& transfer, ssize_t result) {
  if (end_call(job, transfer.telling, result > 0 ? static_cast<std::uint64_t>(result) : 0))
    expect_waits(transfer.fd);
  follow_position(transfer, result);
  if (is_measured(job)) note_outcome(job, transfer, result);
  if (result > 0) {
    const Counter counter =
        transfer.kind == OpKind::read ? Counter::file_read_bytes : Counter::file_write_bytes;
    protocol::add(*job.member, counter, static_cast<std::uint64_t>(result));
    if (transfer.kind == OpKind::write) smooth(job, transfer, static_cast<std::uint64_t>(result));
  }
  if (result > 0) let_go_behind(job, transfer, static_cast<std::uint64_t>(result));
  const std::uint64_t read_bytes =
      result > 0 && transfer.kind == OpKind::read ? static_cast<std::uint64_t>(result) : 0;
  if (transfer.unpredicted_at_ns != 0 &&
      !is_cached_time(monotonic_ns() - transfer.unpredicted_at_ns, read_bytes)) {
    if (settle(job) > 0) return catch_up(job, transfer, read_bytes);
  }
  if (job.member->pending_read_bytes.load(std::memory_order_relaxed) == 0) {
    note_free_read(read_bytes);
    offer_pass(job, transfer);
    settle_if_stale(job);
    return;
  }
  settle(job);
  if (read_bytes > 0) test_backend(transfer, result);
}

std::size_t part_bytes_max(Job& job, const Transfer& transfer) {
  if (transfer.length_bytes <= kPartBytesMin) return SIZE_MAX;
  const Grant grant = protocol::load_grant(*job.segment);
  const bool is_write = transfer.kind == OpKind::write;
  if (part_bytes(grant, is_write, false) == 0) return SIZE_MAX;
  const std::uint64_t part = part_bytes(grant, is_write, is_disk_shared(last_disk(), monotonic_coarse_ns()));
  if (transfer.length_bytes <= part) return SIZE_MAX;
  OpenFile* file = charged_file(job, transfer.fd);
  if (file == nullptr) return SIZE_MAX;
  const TryLock lock(file->lock, job.epoch);
  if (!lock) return SIZE_MAX;
  ask_details(*file, transfer.fd);
  // Appends of several processes must not mix, and direct I/O must keep its alignment: those stay whole.
  if (file->is_append || file->is_direct) return SIZE_MAX;
  const bool is_warm = transfer.kind == OpKind::read && is_in_warm_streak(job, *file);
  return is_warm && part < kWarmPartBytes ? kWarmPartBytes : part;
}

bool is_charged(Job& job, int fd) {
  return charged_file(job, fd) != nullptr;
}

void note_status(int fd, const struct stat& status) {
  Job* here = job();
  if (here == nullptr || !S_ISREG(status.st_mode)) return;
  OpenFile* file = find_open_file(fd);
  if (file == nullptr || file->file_class.load(std::memory_order_acquire) != FileClass::unknown) return;
  const TryLock lock(file->lock, here->epoch);
  if (!lock) return;
  classify(*here->segment, *file, fd, status);
  const bool is_on_disk = file->file_class.load(std::memory_order_relaxed) == FileClass::charged;
  note_class(is_on_disk ? file->device : nullptr);
  if (!is_on_disk) return;
  share_streak(*here, *file->device);
  offer_sample_pass(*here, *file);
}

std::int64_t offset_at(const off64_t* offset) {
  off64_t value = 0;
  if (offset == nullptr || !read_caller(offset, &value, sizeof value) || value < 0) return kAtPointer;
  return value;
}

std::uint64_t copied_bytes_max(Job& job, const Transfer& from, std::uint64_t part) {
  OpenFile* file = charged_file(job, from.fd);
  if (file == nullptr) return waiting_bytes(from.fd, part);
  const TryLock lock(file->lock, job.epoch);
  std::uint64_t offset_bytes = 0;
  if (!lock || !find_offset(*file, from, &offset_bytes) || !refresh_size(*file, from.fd)) return part;
  const std::uint64_t left = file->size_bytes > offset_bytes ? file->size_bytes - offset_bytes : 0;
  return left < part ? left : part;
}

bool is_at_size_limit(const Transfer& transfer) {
  if (transfer.kind != OpKind::write) return false;
  rlimit limit{};
  if (is_raw_error(raw_syscall(SYS_prlimit64, 0, RLIMIT_FSIZE, 0, word(&limit)))) return false;
  if (limit.rlim_cur == RLIM_INFINITY) return false;
  const long position =
      transfer.offset_bytes >= 0 ? transfer.offset_bytes : raw_syscall(SYS_lseek, transfer.fd, 0, SEEK_CUR);
  return !is_raw_error(position) && static_cast<rlim_t>(position) >= limit.rlim_cur;
}

void pay_debt(Job& job) {
  settle_if_stale(job);
  throttle::SignalHold signals;
  admit(job, IoEstimate{}, {last_disk()}, true, signals);
}

void note_folder(int fd) {
  Job* here = job();
  if (here == nullptr) return;
  if (policy::policy_by_id(protocol::load_grant(*here->segment).policy_id).hold == nullptr) return;
  struct stat status {};
  if (is_raw_error(raw_syscall(SYS_fstat, fd, word(&status)))) return;
  Device* device = device_of(*here->segment, fd, status.st_dev);
  if (device != nullptr && !device->is_free) disk_of(*here, *device);
}

void settle_now(Job& job) {
  settle(job);
}

Removal before_removal(int folder, const char* path) {
  Removal removal;
  Job* here = job();
  if (here == nullptr || path == nullptr || (!has_dirty_data(*here) && !does_charge_removals(*here)))
    return removal;
  struct stat status {};
  if (is_raw_error(raw_syscall(SYS_newfstatat, folder, word(path), word(&status), AT_SYMLINK_NOFOLLOW)))
    return removal;
  removal.is_known = S_ISREG(status.st_mode) && status.st_nlink == 1;
  removal.file = {status.st_dev, status.st_ino};
  if (removal.is_known) admit_removal(*here, static_cast<std::uint64_t>(status.st_blocks) * kSectorBytes);
  return removal;
}

void charge_creation(Job& job, const Creation& made) {
  if (made.device.is_free || made.device.inode_bytes == 0) return;
  if ((job.segment->options.disabled_models & protocol::kWithoutWrites) != 0) return;
  if (is_measured(job)) note_creation_outcome(job, made);
  const std::uint64_t now_ns = monotonic_coarse_ns();
  const IoOp op{OpKind::create, made.file, 0, made.device.inode_bytes, made.is_folder ? kPageBytes : 0};
  IoEstimate estimate;
  {
    HeldTable table(job);
    if (!table) return;
    estimate = predictor::estimate_creation(op, *table, now_ns);
    record_operation(job, op, estimate, now_ns);
  }
  if (is_verifying(job)) note_class_prediction(job, protocol::CallClass::create, estimate);
  if (estimate.write_bytes == 0) return;
  protocol::Disk* disk = disk_of(job, made.device);
  throttle::SignalHold signals;
  admit(job, estimate, {disk}, false, signals);
  note_metadata(job, estimate.write_bytes, disk);
}

void after_replacing(int folder, const char* path) {
  Job* here = job();
  struct stat status {};
  if (here == nullptr || !has_dirty_data(*here) ||
      is_raw_error(raw_syscall(SYS_newfstatat, folder, word(path), word(&status), AT_SYMLINK_NOFOLLOW)))
    return;
  const Device* device = known_device(status.st_dev);
  if (device == nullptr || !device->is_flushed_by_renaming) return;
  const FileId file{status.st_dev, status.st_ino};
  HeldTable table(*here);
  if (table) table->regions.clear(file);
  if (table) record_operation(*here, {OpKind::settle, file}, {}, monotonic_coarse_ns());
}

void before_truncation(int fd, std::uint64_t size_bytes) {
  Job* here = job();
  const OpenFile* file = here == nullptr ? nullptr : charged_file(*here, fd);
  struct stat status {};
  if (file == nullptr || is_raw_error(raw_syscall(SYS_fstat, fd, word(&status)))) return;
  const auto before_bytes = static_cast<std::uint64_t>(status.st_size);
  if (before_bytes > size_bytes) admit_removal(*here, before_bytes - size_bytes);
}

void after_removal(const Removal& removal, std::uint64_t offset_bytes) {
  Job* here = job();
  if (here == nullptr) return;
  if (removal.is_known) {
    HeldTable table(*here);
    const IoOp op{OpKind::remove, removal.file, offset_bytes, 0, 0, false};
    if (table) {
      const std::uint64_t now_ns = monotonic_coarse_ns();
      const IoEstimate saved = predictor::estimate_remove(op, table->regions, now_ns);
      refund(*here, saved.refund_bytes);
      record_operation(*here, op, saved, now_ns);
      if (is_verifying(*here)) note_class_prediction(*here, protocol::CallClass::remove, saved);
    }
  }
  settle_if_stale(*here);
}

void after_truncation(int fd, std::uint64_t size_bytes) {
  Job* here = job();
  if (here == nullptr) return;
  Removal removal;
  struct stat status {};
  if (has_dirty_data(*here) && !is_raw_error(raw_syscall(SYS_fstat, fd, word(&status)))) {
    removal.is_known = S_ISREG(status.st_mode);
    removal.file = {status.st_dev, status.st_ino};
  }
  after_removal(removal, size_bytes);
}

bool wait_for_turn(Job& job, protocol::Disk* disk, std::uint64_t bytes, throttle::SignalHold& signals) {
  return wait_while_held(job, {{disk}, bytes}, signals);
}

void before_sync(int fd) {
  Job* here = job();
  OpenFile* file = here == nullptr ? nullptr : charged_file(*here, fd);
  if (file == nullptr || is_verifying(*here)) return;
  protocol::Disk* disk = disk_of(*here, *file->device);
  if (disk == nullptr || policy::policy_by_id(protocol::load_grant(*here->segment).policy_id).hold == nullptr)
    return;
  throttle::SignalHold signals;
  if (!holds_fresh_lock(monotonic_ns())) wait_for_turn(*here, disk, kSyncBytes + file->unsent_bytes, signals);
  book_sync(*here, *disk);
}

void after_sync(int fd) {
  Job* here = job();
  if (here == nullptr) return;
  OpenFile* file = charged_file(*here, fd);
  if (file == nullptr) return;
  file->unsent_bytes = 0;
  if (protocol::Disk* disk = file->device->disk.load(std::memory_order_relaxed); disk != nullptr)
    book_sync(*here, *disk);
  note_sent(*here, *file);
  settle_if_stale(*here);
}

void send_before_close(int fd) {
  Job* here = job();
  OpenFile* file = here == nullptr ? nullptr : find_open_file(fd);
  if (file == nullptr || file->file_class.load(std::memory_order_acquire) != FileClass::charged) return;
  if (smooth_before_close(*here, *file, fd)) note_sent(*here, *file);
}

void after_range_removal(int fd, std::uint64_t offset_bytes, std::uint64_t length_bytes) {
  Job* here = job();
  OpenFile* file = here == nullptr ? nullptr : charged_file(*here, fd);
  if (file == nullptr) return;
  if (const TryLock lock(file->lock, here->epoch); lock) file->state.belief = predictor::Belief{};
  HeldTable table(*here);
  if (!table) return;
  const IoOp op{OpKind::remove, file->id, offset_bytes, length_bytes};
  const std::uint64_t now_ns = monotonic_coarse_ns();
  const IoEstimate saved = predictor::estimate_remove(op, table->regions, now_ns);
  refund(*here, saved.refund_bytes);
  record_operation(*here, op, saved, now_ns);
  if (is_verifying(*here)) note_class_prediction(*here, protocol::CallClass::remove, saved);
}

void after_range_sent(int fd, std::uint64_t offset_bytes, std::uint64_t length_bytes) {
  Job* here = job();
  const OpenFile* file = here == nullptr ? nullptr : charged_file(*here, fd);
  if (file == nullptr) return;
  HeldTable table(*here);
  if (!table) return;
  const IoOp op{OpKind::settle, file->id, offset_bytes, length_bytes};
  const std::uint64_t now_ns = monotonic_coarse_ns();
  predictor::note_sent(op, table->regions, now_ns);
  record_operation(*here, op, {}, now_ns);
}

void after_advice(int fd, int advice) {
  Job* here = job();
  OpenFile* file = here == nullptr ? nullptr : charged_file(*here, fd);
  if (file == nullptr) return;
  const TryLock lock(file->lock, here->epoch);
  if (!lock) return;
  predictor::FileState& state = file->state;
  const predictor::ReadaheadLimits& limits = file->device->limits;
  if (advice == POSIX_FADV_DONTNEED || advice == POSIX_FADV_NOREUSE || advice == POSIX_FADV_WILLNEED)
    leave_cache_to_program(*file);
  record_advice(*here, *file, fd, advice);
  switch (advice) {
    case POSIX_FADV_NORMAL:
      return predictor::advise(state.readahead, state.limits, limits, predictor::Advice::normal);
    case POSIX_FADV_SEQUENTIAL:
      return predictor::advise(state.readahead, state.limits, limits, predictor::Advice::sequential);
    case POSIX_FADV_RANDOM:
      return predictor::advise(state.readahead, state.limits, limits, predictor::Advice::random);
    case POSIX_FADV_DONTNEED:
      state.belief = predictor::Belief{};
      void_passes();
      return;
    default:
      settle(*here);  // WILLNEED reads at once; the kernel's account knows how much
  }
}

}  // namespace discnice::shim
