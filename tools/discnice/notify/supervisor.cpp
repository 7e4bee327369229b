// SPDX-License-Identifier: MIT
#include "tools/discnice/notify/supervisor.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/uio.h>
#include <unistd.h>

#include "toolbox/base/clock.hpp"
#include "tools/discnice/job/budget.hpp"
#include "tools/discnice/kernel/cachestat.hpp"
#include "tools/discnice/kernel/disks.hpp"
#include "tools/discnice/outputs/memory_room.hpp"
#include "tools/discnice/policy/lanes.hpp"
#include "tools/discnice/policy/registry.hpp"
#include "tools/discnice/processes/processes.hpp"
#include "tools/discnice/protocol/members.hpp"
#include "tools/discnice/protocol/segment.hpp"
#include "tools/discnice/transfer/admission.hpp"

namespace discnice::notify {
namespace {

using gray::base::monotonic_ns;
using gray::base::ScopedFd;
using protocol::Counter;

constexpr std::int64_t kPageBytes = 4096;
// The interval between two checks of a waiting call. The check looks for signals of the call's thread, and for a changed grant.
constexpr std::uint64_t kLookNs = 20'000'000;
// No call waits for the disk's other users for longer than this.
constexpr std::uint64_t kHeldMaxNs = 1'000'000'000;
// The bytes of one turn, when several calls wait: the bytes of a fifth of a second at the rate. They are at least so many
// that a disk seeks rarely.
constexpr std::uint64_t kTurnBytesMin = 1024 * 1024;
constexpr std::uint64_t kTurnsPerSecond = 5;
// Data that is brought into memory for one call must still be there when the call is made. So it may take this part of the free memory.
constexpr std::uint64_t kRoomShare = 8;
constexpr std::int64_t kRoomAskedBytes = 16 * 1024 * 1024;
// The most calls that are kept waiting. The table must keep room for calls that may go at once.
constexpr std::size_t kWaitingMax = TakenCalls::kMax - 28;
constexpr std::size_t kWritersMax = 1024;
// The most bytes of one write for which the next write waits.
constexpr std::uint64_t kWriteBytesMax = UINT64_C(1) << 26U;

constexpr std::uint64_t kEndingSignals =
    1U << (SIGHUP - 1) | 1U << (SIGINT - 1) | 1U << (SIGQUIT - 1) | 1U << (SIGTERM - 1);

bool holds_anything(const Grant& grant) {
  return policy::has_limit(grant) || policy::policy_by_id(grant.policy_id).hold != nullptr ||
         (grant.flags & kPaused) != 0;
}

// The time that a write of this size takes at the rate.
std::uint64_t time_of(std::uint64_t bytes, const Grant& grant) {
  std::uint64_t rate = grant.rate_bytes_per_s;
  if (grant.write_rate_bytes_per_s != 0 && (rate == 0 || grant.write_rate_bytes_per_s < rate))
    rate = grant.write_rate_bytes_per_s;
  return rate == 0 ? 0
                   : static_cast<std::uint64_t>(1e9 * static_cast<double>(bytes) / static_cast<double>(rate));
}

std::uint64_t written_by(pid_t pid) {
  return processes::account_of(pid).value_or(processes::KernelAccount{}).write_bytes;
}

// Reads a word from the memory of another process.
bool read_word(pid_t pid, std::uint64_t address, std::int64_t& value) {
  const iovec ours{&value, sizeof value};
  const iovec theirs{reinterpret_cast<void*>(address), sizeof value};  // NOLINT(performance-no-int-to-ptr)
  return process_vm_readv(pid, &ours, 1, &theirs, 1, 0) == static_cast<ssize_t>(sizeof value);
}

// The bytes of a part of a file that are not in memory. All of them when the kernel does not tell.
std::int64_t missing_bytes(int fd, std::int64_t at, std::int64_t end) {
  const std::int64_t first = at / kPageBytes * kPageBytes;
  const std::int64_t pages = (end - first + kPageBytes - 1) / kPageBytes;
  guest::CachestatAnswer answer{};
  const long error = guest::ask_cachestat(fd, static_cast<std::uint64_t>(first),
                                          static_cast<std::uint64_t>(pages * kPageBytes), &answer);
  if (error != 0) return pages * kPageBytes;
  return (pages - static_cast<std::int64_t>(answer.cached)) * kPageBytes;
}

std::int64_t room_bytes() {
  const auto workspace = std::make_unique<outputs::RoomWorkspace>();
  return static_cast<std::int64_t>(outputs::read_memory_room(*workspace).free_bytes / kRoomShare);
}

void count(protocol::Segment& segment, Counter counter, std::uint64_t bytes) {
  segment.left.value[static_cast<unsigned>(counter)].fetch_add(bytes, std::memory_order_relaxed);
}

}  // namespace

Supervisor::Supervisor(protocol::Segment& segment, int listener_fd, std::unique_ptr<Watch> watch,
                       pace::Exchange& exchange)
    : segment_(segment),
      watch_(std::move(watch)),
      listener_(listener_fd, watch_->taken()),
      callers_(job_, exchange),
      exchange_(exchange),
      stop_fd_(eventfd(0, EFD_CLOEXEC)),
      grant_sequence_(segment.grant.sequence()) {
  job_.segment = &segment_;
  job_.pid = static_cast<std::uint32_t>(getpid());
  job_.pid_namespace = protocol::own_pid_namespace(segment_);
  job_.book_from_outside = [](void*) {};  // each step is counted when it is done
  if (stop_fd_ < 0) throw std::system_error(errno, std::generic_category());
  // The first thread of the launcher handles all signals.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    mover_ = std::thread([this] { move_all(); });
    taker_ = std::thread([this] { take_calls(); });
  } catch (const std::system_error&) {
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    stop();
    close(stop_fd_);
    throw;
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Supervisor::~Supervisor() {
  stop();
  look_after_guard();
  close(stop_fd_);
}

int Supervisor::stop() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  wake_.notify_all();
  eventfd_write(stop_fd_, 1);
  if (taker_.joinable()) taker_.join();
  if (mover_.joinable()) mover_.join();
  for (WaitingCall& waiting : waiting_) finish_call(waiting);
  waiting_.clear();
  return listener_.fd();
}

void Supervisor::look_after_guard() {
  watch_->renew_guard(listener_.fd());
}

void Supervisor::hand_over() {
  watch_->guard().dismiss();
}

void Supervisor::take_calls() {
  seccomp_notif shown{};
  while (true) {
    pollfd wanted[] = {{listener_.fd(), POLLIN, 0}, {stop_fd_, POLLIN, 0}};
    if (poll(wanted, std::size(wanted), -1) < 0 && errno != EINTR) return;
    if (wanted[1].revents != 0 || (wanted[0].revents & ~POLLIN) != 0) return;
    if ((wanted[0].revents & POLLIN) == 0 || !listener_.receive(shown)) continue;
    const auto call = large_call_of(shown.data);
    if (!call || !begin(shown, *call, monotonic_ns())) listener_.let_go(shown.id);
  }
}

// Accepts a call that has to wait. Returns false for a call that may go at once.
bool Supervisor::begin(const seccomp_notif& shown, const LargeCall& call, std::uint64_t now_ns) {
  const Grant grant = guest::grant_now(job_, now_ns);
  if (!holds_anything(grant) || !has_account_.load(std::memory_order_relaxed)) return false;
  const auto thread = static_cast<pid_t>(shown.pid);
  const Caller* caller = callers_.find(thread, now_ns);
  if (caller == nullptr) return false;
  const CalledFile file = callers_.file_of(thread, call.fd);
  if (file.disk == nullptr) return false;
  WaitingCall waiting{};
  waiting.id = shown.id;
  waiting.thread = thread;
  waiting.pid = caller->pid;
  waiting.call = call;
  waiting.disk = file.disk;
  // Without a rate the pacer stops a writer afterwards, as for any other write.
  if (waiting.is_write() ? !policy::has_limit(grant)
                         : !find_read(waiting, Callers::take_file(*caller, call.fd), file))
    return false;
  {
    const std::lock_guard lock(mutex_);
    if (waiting_.size() >= kWaitingMax) return false;  // the pacer charges it
    waiting_.push_back(std::move(waiting));
  }
  wake_.notify_one();
  return true;
}

// Whether the call would read enough from the disk for a step. For most calls the first test already gives the answer.
bool Supervisor::find_read(WaitingCall& waiting, ScopedFd file, const CalledFile& called) {
  if (!file.is_open()) return false;
  const LargeCall& call = waiting.call;
  std::int64_t at = call.offset_bytes;
  if (call.offset_at != 0) {
    if (!read_word(waiting.pid, call.offset_at, at)) return false;
  } else if (call.is_at_position) {
    at = lseek(file.get(), 0, SEEK_CUR);
  }
  if (at < 0 || at >= called.size_bytes) return false;
  waiting.at_bytes = at;
  waiting.end_bytes = at + std::min(called.size_bytes - at, static_cast<std::int64_t>(call.bytes));
  const std::int64_t missing = missing_bytes(file.get(), waiting.at_bytes, waiting.end_bytes);
  if (missing <= static_cast<std::int64_t>(guest::kPartBytesMin)) return false;
  const int flags = fcntl(file.get(), F_GETFL);
  if ((flags & O_ACCMODE) == O_WRONLY || (flags & O_DIRECT) != 0 || !Callers::is_it(file, called))
    return false;
  if (missing > kRoomAskedBytes)
    waiting.end_bytes = std::min(waiting.end_bytes, at + std::max(room_bytes(), kRoomAskedBytes));
  waiting.file = std::move(file);
  return true;
}

bool Supervisor::is_over() {
  const std::lock_guard lock(mutex_);
  return is_ending_;
}

void Supervisor::move_all() {
  account_ =
      std::make_unique<processes::KernelAccountFile>(open("/proc/thread-self/io", O_RDONLY | O_CLOEXEC));
  const auto account = account_->read();
  has_account_.store(account.has_value(), std::memory_order_relaxed);
  seen_ = account.value_or(processes::KernelAccount{});
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [this] { return is_ending_ || !waiting_.empty(); });
    if (is_ending_) return;
    WaitingCall waiting = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    const Turn turn = serve(waiting);
    lock.lock();
    if (turn == Turn::more_to_come) waiting_.push_back(std::move(waiting));
  }
}

// The file is closed first, because the caller may close or execute it as soon as it goes on.
void Supervisor::finish_call(WaitingCall& waiting) {
  waiting.file.reset();
  listener_.let_go(waiting.id);
}

// Makes the steps for a call and lets it go. When its turn is over before its last step, other calls come first.
Supervisor::Turn Supervisor::serve(WaitingCall& waiting) {
  std::uint64_t moved = 0;
  if (waiting.is_write()) return_unwritten(waiting);
  while (true) {
    const Grant grant = guest::grant_now(job_, monotonic_ns());
    const bool is_shared = guest::is_disk_shared(waiting.disk, monotonic_ns());
    const std::uint64_t step =
        waiting.is_write() ? waiting.call.bytes : guest::part_bytes(grant, false, is_shared);
    if (step == 0 || !wait_until_due(waiting, step)) break;
    if (waiting.is_write()) {
      note_write(waiting);
      break;
    }
    const bool is_more_to_come = bring(waiting, step);
    book_step(waiting);
    if (!is_more_to_come) break;
    moved += step;
    if (moved >= std::max(kTurnBytesMin, grant.rate_bytes_per_s / kTurnsPerSecond)) return Turn::more_to_come;
  }
  finish_call(waiting);
  return Turn::done;
}

// The call may write fewer bytes than requested, or none, or bytes that are dirty already. The cost is known when the same thread makes its
// next large write.
void Supervisor::note_write(const WaitingCall& waiting) {
  const std::uint64_t now_ns = monotonic_ns();
  const std::uint64_t bytes = std::min(waiting.call.bytes, kWriteBytesMax);
  write_due_ns_ = std::max(write_due_ns_, now_ns) + time_of(bytes, guest::grant_now(job_, now_ns));
  if (let_go_.size() >= kWritersMax) let_go_.clear();
  let_go_[waiting.thread] = {bytes, written_by(waiting.pid)};
}

void Supervisor::return_unwritten(const WaitingCall& waiting) {
  const auto before = let_go_.find(waiting.thread);
  if (before == let_go_.end()) return;
  const std::uint64_t grown = written_by(waiting.pid) - before->second.account_bytes;
  if (grown < before->second.bytes)
    write_due_ns_ -= std::min(write_due_ns_,
                              time_of(before->second.bytes - grown, guest::grant_now(job_, monotonic_ns())));
  let_go_.erase(before);
}

// Whether the call should still wait. A person's Ctrl-C must take effect at once.
bool Supervisor::is_wanted(const WaitingCall& waiting) {
  return !is_over() && listener_.is_waiting(waiting.id) &&
         (processes::waiting_signals(waiting.pid) & kEndingSignals) == 0;
}

// Waits until the earlier bytes are paid, and the policy gives the job a turn at the disk. Returns false when the call must go at once.
bool Supervisor::wait_until_due(const WaitingCall& waiting, std::uint64_t step_bytes) {
  const std::uint64_t start_ns = monotonic_ns();
  bool does_wait = false;
  while (true) {
    if (!is_wanted(waiting)) return false;
    const std::uint64_t now_ns = monotonic_ns();
    const Grant grant = guest::grant_now(job_, now_ns);
    if (!holds_anything(grant)) return false;
    if (const std::uint64_t sequence = segment_.grant.sequence(); sequence != grant_sequence_) {
      grant_sequence_ = sequence;
      due_ns_ = write_due_ns_ = 0;  // a debt under the old grant is forgotten
    }
    due_ns_ = std::min(due_ns_, guest::latest_paid_ns(job_, grant, now_ns));
    std::uint64_t until_ns = waiting.is_write() ? write_due_ns_ : due_ns_;
    const bool is_paused = (grant.flags & kPaused) != 0;
    if (until_ns <= now_ns && (is_paused || now_ns - start_ns < kHeldMaxNs))
      until_ns = guest::ask_for_turn(job_, waiting.disk, step_bytes, now_ns);
    if (until_ns <= now_ns) return true;
    if (!does_wait) count(segment_, Counter::waits, 1);
    does_wait = true;
    std::unique_lock lock(mutex_);
    wake_.wait_for(lock, std::chrono::nanoseconds(std::min(until_ns - now_ns, kLookNs)),
                   [this] { return is_ending_; });
    count(segment_, Counter::slept_ns, monotonic_ns() - now_ns);
  }
}

// Charges the job for the bytes that the kernel has charged to this thread since the last step.
void Supervisor::book_step(const WaitingCall& waiting) {
  const auto now = account_->read();
  if (!now) return;
  const std::uint64_t read_bytes = now->read_bytes - seen_.read_bytes;
  seen_ = *now;
  guest::book_own_traffic(job_, waiting.disk, static_cast<std::int64_t>(read_bytes), 0);
  exchange_.add_read(static_cast<std::int64_t>(read_bytes));
  count(segment_, Counter::settled_read_bytes, read_bytes);
  count(segment_, Counter::predicted_read_bytes, read_bytes);
  const std::uint64_t now_ns = monotonic_ns();
  const IoEstimate moved{.read_bytes = read_bytes};
  due_ns_ = std::max(due_ns_, guest::charge(job_, guest::grant_now(job_, now_ns), moved, {}, now_ns));
}

}  // namespace discnice::notify
