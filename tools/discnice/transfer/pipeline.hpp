// SPDX-License-Identifier: MIT
// pipeline: the one place where predicting, deciding and waiting meet. Each hooked call comes through here:
//
//   find the file -> predictor: what will it cost the disk? -> policy: when may it go? -> throttle: wait
//   -> the real call -> account
//
// The real call is handed in as a function object and made exactly once for a vector call, one or more times
// for a plain read or write that is longer than the job's burst. Its result and errno reach the program
// unchanged.
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>

#include <sys/types.h>

#include "tools/discnice/contract/io_op.hpp"
#include "tools/discnice/descriptor/file_position.hpp"
#include "tools/discnice/descriptor/free_pass.hpp"
#include "tools/discnice/descriptor/open_files.hpp"
#include "tools/discnice/descriptor/warm_streak.hpp"
#include "tools/discnice/job/caller_memory.hpp"
#include "tools/discnice/job/job.hpp"
#include "tools/discnice/kernel/account.hpp"
#include "tools/discnice/kernel/disk_waits.hpp"
#include "tools/discnice/kernel/progress.hpp"
#include "tools/discnice/observe/verification.hpp"
#include "tools/discnice/throttle/throttle.hpp"

namespace discnice::shim {

/// Offset that stands for "the file's own position".
inline constexpr std::int64_t kAtPointer = -1;
/// Offset that stands for "the caller forbade waiting (RWF_NOWAIT): pass through".
inline constexpr std::int64_t kUntouched = -2;

/// The kernel moves no more than this in one call (MAX_RW_COUNT), so the parts of one call never add up to
/// more.
inline constexpr std::uint64_t kCallBytesMax = 0x7ffff000;

/// One transfer on one descriptor, as the hooks see it.
struct Transfer {
  OpKind kind;
  int fd;
  std::int64_t offset_bytes;
  std::uint64_t length_bytes;
  // False once a signal has ended a wait of this call: the rest of it must not wait again.
  bool may_wait = true;
  // The call's hold on signals; begun by its first wait.
  throttle::SignalHold* signals = nullptr;
  // A side of a copy inside the kernel, which reads through a pipe of its own.
  bool is_copy = false;
  // When it was let through on the strength of a warm streak, so that only the account will tell what it cost; else 0.
  std::uint64_t unpredicted_at_ns = 0;
  // Nothing speaks for its needing the disk; taken together with the term (free_pass.hpp) it was found in.
  bool is_known_free = false;
  std::uint32_t pass_term = 0;
  // The kernel's account just before the call, while verifying or recording.
  ThreadAccount account_before = {};
  // Of the call in the recording; 0 when it is not in it.
  std::uint64_t record_number = 0;
  // It goes on where the file's last read ended.
  bool is_going_on = false;
  // Where only the job's own progress tells of others: what this call will tell.
  TellingCall telling = {};
};

/// Predicts, decides and waits for a transfer. True when after_transfer() must follow the call. Clears
/// transfer.may_wait when a signal ended the wait.
bool before_transfer(Job& job, Transfer& transfer);

/// Right before the real call, when all waits are over: what it brings into the page cache is absent still.
void before_call(Job& job, const Transfer& transfer);

/// Counts and settles what a transfer did; `result` is what the real call returned.
void after_transfer(Job& job, const Transfer& transfer, ssize_t result);

/// The most bytes one call may move at once under the job's present limit: 100 ms worth, so that a long call
/// is paced instead of being one stall and one burst. SIZE_MAX when nothing limits the job, the transfer is shorter than that or the file
/// is not charged.
std::size_t part_bytes_max(Job& job, const Transfer& transfer);

/// The offset a program passed by pointer: kAtPointer for none, or for one that can't be read (the real call
/// will say so).
std::int64_t offset_at(const off64_t* offset);

/// How much of a copy of `part` bytes there is to copy: programs ask for more than the source holds and stop
/// at its end.
std::uint64_t copied_bytes_max(Job& job, const Transfer& from, std::uint64_t part);

/// Waits until the job's policy lets `bytes` go to that disk beside its other users; at once where the policy gives way to nobody. False: a signal
/// ended the wait. errno is kept.
bool wait_for_turn(Job& job, protocol::Disk* disk, std::uint64_t bytes, throttle::SignalHold& signals);

/// The program asks for its data to be brought to the disk: that waits for the job's turn, and whose the disk's work is gets known.
void before_sync(int fd);

/// Pays what the process still owes from before, if anything. For calls that may reach the disk in ways
/// nobody predicts.
void pay_debt(Job& job);

/// A folder was opened: what a walk reads of it, which no call predicts, belongs to its disk.
void note_folder(int fd);

/// The program asked what a descriptor is, and was told: a file that is about to be read need not be asked about again. Only of regular
/// files is anything learned, and only where nothing is known yet. errno is kept.
void note_status(int fd, const struct stat& status);

/// False when note_status() would have nothing to do: something is known, or it has a pass, so that it is read on trust and likely closed before
/// anybody wants to know.
inline bool wants_status(int fd) {
  const OpenFile* file = known_open_file(fd);
  return file == nullptr ||
         (file->file_class.load(std::memory_order_relaxed) == FileClass::unknown && !has_pass_of_term(*file));
}

/// Looks at the kernel's account now; what it shows and nobody predicted becomes debt. errno is kept.
void settle_now(Job& job);

/// True when the next byte of a write would lie at the process's own limit for files: trying it brings
/// SIGXFSZ, which one long call that ends there does not.
bool is_at_size_limit(const Transfer& transfer);

/// True when calls on this descriptor are made as they are: there is no job, or nothing on it is ever charged.
inline bool passes_by(int fd) {
  return job() == nullptr || is_known_free(fd);
}

/// How a plain read or write may go to the kernel without a look at anything but its descriptor's entry.
enum class QuickWay : std::uint8_t {
  none,
  unseen,  // nothing on this descriptor is charged, or it is written to a file that was just made and is taken for one in memory
  counted,  // it has a pass, or is one of the first reads of a file that was just opened in a warm streak; note_passed() must follow
};

/// The first question of a hook, so that what is none of the disk's costs a few nanoseconds; calls nothing. Of the reads no clock is asked, and
/// a file is read to its end beyond the term's bytes: the usual way would let it by as well (passes_unseen()), and the next opening looks at the
/// account.
__attribute__((always_inline)) inline QuickWay quick_way(OpKind kind, int fd, std::size_t bytes) {
  OpenFile* file = known_open_file(fd);
  if (file == nullptr || !has_job_at_hand()) return QuickWay::none;
  const FileClass file_class = file->file_class.load(std::memory_order_acquire);
  if (file_class == FileClass::free) return QuickWay::unseen;
  if (file_class != FileClass::unknown)
    return kind == OpKind::read && has_pass_at_once(*file, bytes) ? QuickWay::counted : QuickWay::none;
  if (kind == OpKind::write)
    return file->is_assumed_in_memory.load(std::memory_order_relaxed) && takes_assumed(*file, bytes)
               ? QuickWay::unseen
               : QuickWay::none;
  const bool takes_pass = has_pass_of_term(*file) && file->was_opened.load(std::memory_order_relaxed) &&
                          !are_passes_overdrawn() && takes_assumed(*file, bytes);
  return takes_pass ? QuickWay::counted : QuickWay::none;
}

/// True when a read of so many bytes may go at once, to be counted by note_passed(): a small one, or one of the first of a file that was just
/// opened.
inline bool has_pass(int fd, std::size_t bytes) {
  OpenFile* file = known_open_file(fd);
  if (file == nullptr || !is_pass_valid(*file)) return false;
  return bytes <= kPassBytesMax ||
         (file->was_opened.load(std::memory_order_relaxed) && takes_assumed(*file, bytes));
}

/// True for a write of so many bytes to a file that was just made and is taken for one in memory: it may go at once.
inline bool is_written_to_memory(int fd, std::uint64_t bytes) {
  OpenFile* file = known_open_file(fd);
  return file != nullptr && file->is_assumed_in_memory.load(std::memory_order_relaxed) &&
         file->file_class.load(std::memory_order_acquire) == FileClass::unknown &&
         takes_assumed(*file, bytes);
}

/// Makes the real call of a transfer that is charged. It may wait for the disk even if nothing was predicted: for a window that an
/// earlier one has started to bring in.
template <typename Call>
ssize_t run_waiting(Job* job, Call call) {
  const DiskWait wait(job);
  return call();
}

/// Runs a plain read or write, in parts when it is long. `call(done, part)` makes the real call for `part`
/// bytes after `done`.
template <typename Call>
__attribute__((noinline)) ssize_t run_transfer(Transfer transfer, Call call) {
  Job* here = job();
  if (here == nullptr || transfer.offset_bytes == kUntouched) return call(0, transfer.length_bytes);
  throttle::SignalHold signals;
  transfer.signals = &signals;
  const std::size_t part_max = part_bytes_max(*here, transfer);
  const std::uint64_t whole = transfer.length_bytes < kCallBytesMax ? transfer.length_bytes : kCallBytesMax;
  const int errno_before = errno;
  std::size_t done = 0;
  while (true) {
    const std::size_t part = whole - done < part_max ? whole - done : part_max;
    transfer.length_bytes = part;
    const bool is_charged = before_transfer(*here, transfer);
    if (is_charged) before_call(*here, transfer);
    const ssize_t result = run_waiting(is_charged ? here : nullptr, [&] { return call(done, part); });
    if (is_charged) after_transfer(*here, transfer, result);
    if (result < 0 && done == 0) return result;
    if (result < 0) {  // as the kernel does: progress first and no word of the error, which comes next time
      errno = errno_before;
      return static_cast<ssize_t>(done);
    }
    done += static_cast<std::size_t>(result);
    if (static_cast<std::size_t>(result) < part || done >= whole) return static_cast<ssize_t>(done);
    if (transfer.offset_bytes >= 0) transfer.offset_bytes += result;
    if (is_at_size_limit(transfer)) return static_cast<ssize_t>(done);
  }
}

/// True when the descriptor is a file on a disk, so that the rest of a call's arguments are worth looking at.
bool is_charged(Job& job, int fd);

/// Runs a transfer that must stay one call (vectors).
template <typename Call>
ssize_t run_vector(Transfer transfer, const iovec* vector, int count, Call call) {
  Job* here = job();
  if (transfer.offset_bytes == kUntouched) lose_position(transfer.fd);
  if (here == nullptr || transfer.offset_bytes == kUntouched || !is_charged(*here, transfer.fd))
    return call();
  throttle::SignalHold signals;
  transfer.signals = &signals;
  const std::uint64_t bytes = vector_bytes(vector, count);
  transfer.length_bytes = bytes < kCallBytesMax ? bytes : kCallBytesMax;
  if (!before_transfer(*here, transfer)) return call();
  before_call(*here, transfer);
  const ssize_t result = run_waiting(here, call);
  after_transfer(*here, transfer, result);
  return result;
}

/// Runs a copy between two descriptors inside the kernel. Its length is clamped: a short copy is a legal
/// answer there.
template <typename Call>
ssize_t run_copy(Transfer from, const off64_t* from_offset, Transfer to, const off64_t* to_offset,
                 Call call) {
  Job* here = job();
  if (here == nullptr) return call(from.length_bytes);
  throttle::SignalHold signals;
  from.signals = to.signals = &signals;
  from.is_copy = to.is_copy = true;
  from.offset_bytes = offset_at(from_offset);
  to.offset_bytes = offset_at(to_offset);
  const std::size_t from_max = part_bytes_max(*here, from);
  const std::size_t to_max = part_bytes_max(*here, to);
  const std::size_t part_max = from_max < to_max ? from_max : to_max;
  const std::size_t part = from.length_bytes < part_max ? from.length_bytes : part_max;
  from.length_bytes = to.length_bytes = copied_bytes_max(*here, from, part);
  const bool is_read_charged = before_transfer(*here, from);
  to.may_wait = from.may_wait;
  const bool is_write_charged = before_transfer(*here, to);
  if (is_read_charged) before_call(*here, from);
  begin_again(from.telling);
  const ssize_t result =
      run_waiting(is_read_charged || is_write_charged ? here : nullptr, [&] { return call(part); });
  if (is_read_charged) after_transfer(*here, from, result);
  if (is_write_charged) after_transfer(*here, to, result);
  return result;
}

/// Runs a call that nothing is predicted of. The account is looked at and debts are paid before it: a clock and two loads while there are none.
template <typename Call>
auto run_settled(Call call) {
  Job* here = job();
  if (here != nullptr) {
    settle_if_stale(*here);
    if (has_debt(*here)) pay_debt(*here);
  }
  const NameCall name_call(here);
  return call();
}

/// Runs a call that moves data in ways nobody predicts: debts are paid before it, the account is settled after it.
template <typename Call>
auto run_settled_after(Call call) {
  Job* here = job();
  if (here == nullptr) return call();
  pay_debt(*here);
  const auto result = [&] {
    const DiskWait wait(here);
    return call();
  }();
  settle_now(*here);
  return result;
}

/// A file or folder that a call has just made.
struct Creation {
  FileId file;
  Device& device;
  bool is_folder;
  const ThreadAccount& account_before;  // the call, while that is measured
};

/// What a creation dirties beside its data is charged, and owed by the next call.
void charge_creation(Job& job, const Creation& made);

/// A file was put in another's place and is sent to the disk, on file systems that do so.
void after_replacing(int folder, const char* path);

/// Before a file is cut short through a descriptor: what goes is paid for like a removal.
void before_truncation(int fd, std::uint64_t size_bytes);

/// What to do to the table of dirty regions after a removal succeeded. Filled before the call, while the file
/// still exists.
struct Removal {
  bool is_known = false;
  FileId file;
};

/// Looks at the file a removal is about to take away, and waits until the removal is paid for. Costs one system call, and
/// none while nothing is held back and no dirty data is known.
Removal before_removal(int folder, const char* path);

/// After a successful removal of everything from `offset_bytes` on: the dirty data there is never written.
void after_removal(const Removal& removal, std::uint64_t offset_bytes);

/// The same for a descriptor (ftruncate, O_TRUNC).
void after_truncation(int fd, std::uint64_t size_bytes);

/// After fsync or fdatasync: the file's dirty data is on disk.
void after_sync(int fd);

/// After a part of a file was taken out of it, or another file's put in its place (fallocate, FICLONE): its dirty data is never written
/// and what was believed of the cache no longer holds. A length of 0 reaches to the end.
void after_range_removal(int fd, std::uint64_t offset_bytes, std::uint64_t length_bytes);

/// Before the descriptor of a charged file is closed: sends what it still holds to the disk, where that is done in steps (smooth_writes.hpp). May
/// wait as a write does. errno is kept.
void send_before_close(int fd);

/// After a part of a file was sent to the disk: writing there again costs again. A length of 0 reaches to the end, from 0 on.
void after_range_sent(int fd, std::uint64_t offset_bytes, std::uint64_t length_bytes);

/// After a successful posix_fadvise(): the kernel reads ahead differently now, or has dropped pages.
void after_advice(int fd, int advice);

}  // namespace discnice::shim
