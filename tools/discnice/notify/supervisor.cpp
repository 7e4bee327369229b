// SPDX-License-Identifier: MIT
#include "tools/discnice/notify/supervisor.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "toolbox/base/clock.hpp"
#include "tools/discnice/descriptor/devices.hpp"
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
// Who waits is looked at this often: its signals, the job's grant.
constexpr std::uint64_t kLookNs = 20'000'000;
// Nobody is held back by the disk's other users for longer.
constexpr std::uint64_t kHeldMaxNs = 1'000'000'000;
// Of several that wait each gets as much in turn: a fifth of a second's worth, and enough that a disk need not go back and forth.
constexpr std::uint64_t kTurnBytesMin = 1024 * 1024;
constexpr std::uint64_t kTurnsPerSecond = 5;
// What is brought into memory for one call is to be there still when the call is made.
constexpr std::uint64_t kRoomShare = 8;
constexpr std::int64_t kRoomAskedBytes = 16 * 1024 * 1024;

constexpr std::uint64_t kEndingSignals =
    1U << (SIGHUP - 1) | 1U << (SIGINT - 1) | 1U << (SIGQUIT - 1) | 1U << (SIGTERM - 1);

bool gives_way(const Grant& grant) {
  return policy::policy_by_id(grant.policy_id).hold != nullptr;
}

bool holds_anything(const Grant& grant) {
  return policy::has_limit(grant) || gives_way(grant) || (grant.flags & kPaused) != 0;
}

// Of a stretch of a file: bytes that are not in memory. All of them where the kernel does not say.
std::int64_t missing_bytes(int fd, std::int64_t at, std::int64_t end) {
  const std::int64_t first = at / kPageBytes * kPageBytes;
  const std::int64_t pages = (end - first + kPageBytes - 1) / kPageBytes;
  guest::CachestatAnswer answer{};
  const long error = guest::ask_cachestat(fd, static_cast<std::uint64_t>(first),
                                          static_cast<std::uint64_t>(pages * kPageBytes), &answer);
  if (error != 0) return pages * kPageBytes;
  return (pages - static_cast<std::int64_t>(answer.cached)) * kPageBytes;
}

// The same file, opened by ourselves: the caller's read-ahead stays as it is. Where that is not allowed, the caller's own.
ScopedFd reopened(ScopedFd file) {
  const std::string itself = fmt::format("/proc/self/fd/{}", file.get());
  for (const int flags : {O_RDONLY | O_NOATIME, O_RDONLY}) {
    const int fd = open(itself.c_str(), flags | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0) continue;
    posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM);
    return ScopedFd(fd);
  }
  return file;
}

std::int64_t room_bytes() {
  const auto workspace = std::make_unique<outputs::RoomWorkspace>();
  return static_cast<std::int64_t>(outputs::read_memory_room(*workspace).free_bytes / kRoomShare);
}

void count(protocol::Segment& segment, Counter counter, std::uint64_t bytes) {
  segment.left.value[static_cast<unsigned>(counter)].fetch_add(bytes, std::memory_order_relaxed);
}

}  // namespace

Supervisor::Supervisor(protocol::Segment& segment, const Shown& shown, std::string preloaded_name,
                       pace::PaidAhead& ahead)
    : segment_(segment),
      is_killable_(shown.is_killable),
      listener_(shown.listener_fd),
      guard_(listener_),
      callers_(segment, std::move(preloaded_name)),
      ahead_(ahead),
      stop_fd_(eventfd(0, EFD_CLOEXEC)),
      grant_sequence_(segment.grant.sequence()) {
  job_.segment = &segment_;
  job_.pid = static_cast<std::uint32_t>(getpid());
  job_.pid_namespace = protocol::own_pid_namespace(segment_);
  job_.book_from_outside = [](void*) {};  // each step is booked when it is done
  if (stop_fd_ < 0) throw std::system_error(errno, std::generic_category());
  mover_ = std::thread([this] { move_all(); });
  try {
    taker_ = std::thread([this] { take_calls(); });
  } catch (const std::system_error&) {
    stop();
    throw;
  }
}

Supervisor::~Supervisor() {
  stop();
  close(stop_fd_);
}

Shown Supervisor::stop() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  wake_.notify_all();
  eventfd_write(stop_fd_, 1);
  if (taker_.joinable()) taker_.join();
  if (mover_.joinable()) mover_.join();
  for (const WaitingCall& waiting : waiting_) listener_.let_go(waiting.id);
  waiting_.clear();
  return {listener_.fd(), is_killable_};
}

void Supervisor::hand_over() {
  guard_.dismiss();
}

void Supervisor::take_calls() {
  seccomp_notif shown{};
  while (true) {
    pollfd wanted[] = {{listener_.fd(), POLLIN, 0}, {stop_fd_, POLLIN, 0}};
    if (poll(wanted, std::size(wanted), -1) < 0 && errno != EINTR) return;
    if (wanted[1].revents != 0 || (wanted[0].revents & ~POLLIN) != 0) return;
    if ((wanted[0].revents & POLLIN) == 0) continue;
    if (!listener_.receive(shown)) {
      poll(nullptr, 0, 1);  // the caller is gone, or more wait than can be
      continue;
    }
    const auto call = large_call_of(shown.data);
    if (!call || !begin(shown, *call, monotonic_ns())) listener_.let_go(shown.id);
  }
}

// Returns false for a call that may go at once.
bool Supervisor::begin(const seccomp_notif& shown, const LargeCall& call, std::uint64_t now_ns) {
  const Grant grant = guest::grant_now(job_, now_ns);
  if (!holds_anything(grant)) return false;
  const Caller* caller = callers_.find(static_cast<pid_t>(shown.pid), now_ns);
  if (caller == nullptr) return false;
  ScopedFd file = Callers::file_of(*caller, call.fd);
  if (!file.is_open()) return false;
  WaitingCall waiting{};
  waiting.id = shown.id;
  waiting.pid = caller->pid;
  waiting.call = call;
  std::int64_t size_bytes = 0;
  waiting.disk = disk_of(file.get(), &size_bytes);
  if (waiting.is_write()) {
    // Without a rate the pacer has it stand afterwards, as for any other write.
    if (waiting.disk == nullptr || !policy::has_limit(grant)) return false;
  } else {
    const std::int64_t at = call.is_at_position ? lseek(file.get(), 0, SEEK_CUR) : call.offset_bytes;
    waiting.at_bytes = at;
    waiting.end_bytes = size_bytes - at < static_cast<std::int64_t>(call.bytes)
                            ? size_bytes
                            : at + static_cast<std::int64_t>(call.bytes);
    waiting.file = std::move(file);
    if (!(waiting.is_read() ? find_read(waiting) : find_copy(waiting, *caller))) return false;
  }
  {
    const std::lock_guard lock(mutex_);
    if (waiting.is_write() && !is_moving_ && waiting_.empty() && may_go_at_once(grant, now_ns)) {
      ahead_.add_write(call.bytes);
      charge(0, call.bytes);
      return false;
    }
    waiting_.push_back(std::move(waiting));
  }
  wake_.notify_one();
  return true;
}

// A write that nobody holds back at the moment.
bool Supervisor::may_go_at_once(const Grant& grant, std::uint64_t now_ns) {
  return due_ns_ <= now_ns && !gives_way(grant) && (grant.flags & kPaused) == 0;
}

// The disk that a regular file lies on, and the file's size; null for any other file, and where the disk is in memory or behind a program that serves it.
protocol::Disk* Supervisor::disk_of(int fd, std::int64_t* size_bytes) {
  struct statx status {};
  if (statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_TYPE | STATX_SIZE, &status) != 0 ||
      !S_ISREG(status.stx_mode))
    return nullptr;
  *size_bytes = static_cast<std::int64_t>(status.stx_size);
  guest::Device* device = guest::device_of(segment_, fd, makedev(status.stx_dev_major, status.stx_dev_minor));
  const bool is_disks = device != nullptr && !device->is_free && !device->is_served;
  return is_disks ? guest::disk_of(job_, *device) : nullptr;
}

// Whether it would bring anything from the disk that is worth a step.
bool Supervisor::find_read(WaitingCall& waiting) {
  const int flags = fcntl(waiting.file.get(), F_GETFL);
  if (waiting.disk == nullptr || waiting.at_bytes < 0 || waiting.at_bytes >= waiting.end_bytes ||
      (flags & O_ACCMODE) == O_WRONLY || (flags & O_DIRECT) != 0)
    return false;
  const std::int64_t missing = missing_bytes(waiting.file.get(), waiting.at_bytes, waiting.end_bytes);
  if (missing <= static_cast<std::int64_t>(guest::kPartBytesMin)) return false;
  if (missing > kRoomAskedBytes)
    waiting.end_bytes =
        std::min(waiting.end_bytes, waiting.at_bytes + std::max(room_bytes(), kRoomAskedBytes));
  waiting.file = reopened(std::move(waiting.file));
  return true;
}

// A copy that is begun anew after a signal would be made twice.
bool Supervisor::find_copy(WaitingCall& waiting, const Caller& caller) {
  if (!is_killable_) return false;
  waiting.to_file = Callers::file_of(caller, waiting.call.to_fd);
  std::int64_t size_bytes = 0;
  waiting.to_disk = waiting.to_file.is_open() ? disk_of(waiting.to_file.get(), &size_bytes) : nullptr;
  struct stat target {};
  return waiting.to_file.is_open() && fstat(waiting.to_file.get(), &target) == 0 && S_ISREG(target.st_mode) &&
         (waiting.disk != nullptr || waiting.to_disk != nullptr);
}

bool Supervisor::is_over() {
  const std::lock_guard lock(mutex_);
  return is_ending_;
}

void Supervisor::move_all() {
  account_ =
      std::make_unique<processes::KernelAccountFile>(open("/proc/thread-self/io", O_RDONLY | O_CLOEXEC));
  seen_ = account_->read().value_or(processes::KernelAccount{});
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [this] { return is_ending_ || !waiting_.empty(); });
    if (is_ending_) return;
    WaitingCall waiting = std::move(waiting_.front());
    waiting_.pop_front();
    is_moving_ = true;
    lock.unlock();
    const Turn turn = serve(waiting);
    lock.lock();
    is_moving_ = false;
    if (turn == Turn::more_to_come) waiting_.push_back(std::move(waiting));
  }
}

// Answers the call, unless there is more to be moved for it: then others come first.
Supervisor::Turn Supervisor::serve(WaitingCall& waiting) {
  std::uint64_t moved = 0;
  while (true) {
    const Grant grant = guest::grant_now(job_, monotonic_ns());
    const std::uint64_t step =
        waiting.is_write()
            ? waiting.call.bytes
            : guest::part_bytes(grant, false, guest::is_disk_shared(waiting.disk, monotonic_ns()));
    if (step == 0 || !wait_until_due(waiting, step)) break;
    if (waiting.is_write()) {
      ahead_.add_write(step);
      charge(0, step);
      break;
    }
    if (!waiting.is_read()) {
      const auto copied = copy(waiting, step);
      book_step(waiting);
      if (!copied) break;
      listener_.answer(waiting.id, *copied);
      return Turn::done;
    }
    const bool is_more_to_come = bring(waiting, step);
    book_step(waiting);
    if (!is_more_to_come) break;
    moved += step;
    if (moved >= std::max(kTurnBytesMin, grant.rate_bytes_per_s / kTurnsPerSecond)) return Turn::more_to_come;
  }
  listener_.let_go(waiting.id);
  return Turn::done;
}

// A person's Ctrl-C is to be felt at once.
bool Supervisor::is_wanted(const WaitingCall& waiting) {
  return !is_over() && listener_.is_waiting(waiting.id) &&
         (processes::waiting_signals(waiting.pid) & kEndingSignals) == 0;
}

// Until what was moved before is paid, and the policy gives the job a turn at the disk. False: the call is to go at once.
bool Supervisor::wait_until_due(const WaitingCall& waiting, std::uint64_t step_bytes) {
  const std::uint64_t start_ns = monotonic_ns();
  std::uint64_t looks = 0;
  while (true) {
    if (!is_wanted(waiting)) return false;
    const std::uint64_t now_ns = monotonic_ns();
    const Grant grant = guest::grant_now(job_, now_ns);
    if (!holds_anything(grant)) return false;
    if (const std::uint64_t sequence = segment_.grant.sequence(); sequence != grant_sequence_) {
      grant_sequence_ = sequence;
      due_ns_ = 0;  // what was owed under the old grant is forgotten
    }
    due_ns_ = std::min(due_ns_, guest::latest_paid_ns(job_, grant, now_ns));
    std::uint64_t until_ns = due_ns_;
    const bool is_paused = (grant.flags & kPaused) != 0;
    if (until_ns <= now_ns && (is_paused || now_ns - start_ns < kHeldMaxNs))
      until_ns = guest::ask_for_turn(job_, waiting.disk != nullptr ? waiting.disk : waiting.to_disk,
                                     step_bytes, now_ns);
    if (until_ns <= now_ns) {
      count(segment_, Counter::slept_ns, looks == 0 ? 0 : now_ns - start_ns);
      return true;
    }
    if (looks++ == 0) count(segment_, Counter::waits, 1);
    std::unique_lock lock(mutex_);
    wake_.wait_for(lock, std::chrono::nanoseconds(std::min(until_ns - now_ns, kLookNs)),
                   [this] { return is_ending_; });
  }
}

void Supervisor::charge(std::uint64_t read_bytes, std::uint64_t write_bytes) {
  const std::uint64_t now_ns = monotonic_ns();
  const IoEstimate moved{.read_bytes = read_bytes, .write_bytes = write_bytes};
  due_ns_ = std::max(due_ns_, guest::charge(job_, guest::grant_now(job_, now_ns), moved, {}, now_ns));
}

// What the kernel has booked to us since the last step is the job's.
void Supervisor::book_step(const WaitingCall& waiting) {
  const auto now = account_->read();
  if (!now) return;
  const std::uint64_t read_bytes = now->read_bytes - seen_.read_bytes;
  const std::uint64_t write_bytes = now->write_bytes - seen_.write_bytes;
  seen_ = *now;
  guest::book_own_traffic(job_, waiting.disk, static_cast<std::int64_t>(read_bytes), 0);
  guest::book_own_traffic(job_, waiting.to_disk, 0, static_cast<std::int64_t>(write_bytes));
  ahead_.add_moved({static_cast<std::int64_t>(read_bytes), static_cast<std::int64_t>(write_bytes), 0});
  count(segment_, Counter::settled_read_bytes, read_bytes);
  count(segment_, Counter::settled_write_bytes, write_bytes);
  count(segment_, Counter::predicted_read_bytes, read_bytes);
  count(segment_, Counter::predicted_write_bytes, write_bytes);
  charge(read_bytes, write_bytes);
}

}  // namespace discnice::notify
