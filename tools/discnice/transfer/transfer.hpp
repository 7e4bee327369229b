// SPDX-License-Identifier: MIT
// transfer: the one page on which predicting, deciding and waiting meet. A read, a write or a copy takes these steps:
//
//   find the file, predict (prediction.hpp) -> admit: ask the policy and wait (admission.hpp) -> the real call -> settle (kernel/account.hpp)
//
// The real call is handed in as a function object. It is made exactly once for a vector call, and one or more times
// for a plain read or write that is longer than the job's burst. Its result and errno reach the program
// unchanged. Calls that need no second look do not come here (quick_way.hpp); calls of which nothing is predicted have settled_call.hpp.
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>

#include <sys/types.h>

#include "tools/discnice/descriptor/file_position.hpp"
#include "tools/discnice/descriptor/free_pass.hpp"
#include "tools/discnice/descriptor/open_files.hpp"
#include "tools/discnice/job/caller_memory.hpp"
#include "tools/discnice/job/job.hpp"
#include "tools/discnice/kernel/disk_waits.hpp"
#include "tools/discnice/kernel/progress.hpp"
#include "tools/discnice/throttle/throttle.hpp"
#include "tools/discnice/transfer/transfer_call.hpp"

namespace discnice::shim {

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

/// True when the next byte of a write would lie at the process's own limit for files: trying it brings
/// SIGXFSZ, which one long call that ends there does not.
bool is_at_size_limit(const Transfer& transfer);

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

}  // namespace discnice::shim
