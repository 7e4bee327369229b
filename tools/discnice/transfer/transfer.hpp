// SPDX-License-Identifier: MIT
// transfer: the only file that uses prediction, decision and waiting together. A read, a write or a copy takes these steps:
//
//   route (route.hpp) -> predict (prediction.hpp) -> admit: ask the policy and wait (admission.hpp) -> the real call -> settle (kernel/account.hpp)
//
// The caller passes the real call as a function object. A vector call is made exactly once. A plain read or write that is longer than the job's burst is made in several
// parts. Its result and errno reach the program unchanged. Calls that route_at_once() lets pass do not come here. Calls without a prediction use settled_call.hpp.
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>

#include <sys/types.h>

#include "toolbox/base/clock.hpp"
#include "tools/discnice/descriptor/file_position.hpp"
#include "tools/discnice/descriptor/open_files.hpp"
#include "tools/discnice/descriptor/trust.hpp"
#include "tools/discnice/job/caller_memory.hpp"
#include "tools/discnice/job/job.hpp"
#include "tools/discnice/kernel/disk_waits.hpp"
#include "tools/discnice/kernel/progress.hpp"
#include "tools/discnice/throttle/throttle.hpp"
#include "tools/discnice/transfer/route.hpp"
#include "tools/discnice/transfer/transfer_call.hpp"

namespace discnice::guest {

/// Predicts, decides and waits for a transfer whose file was found. Returns true when after_transfer() must follow the call. Returns false when the transfer has no charged
/// file, or has lost it. Clears transfer.may_wait when a signal ended the wait.
bool before_transfer(Job& job, Transfer& transfer);

/// Called right before the real call, when all waits are over. Counts the pages that the call will bring into the page cache, while they are still absent.
void before_call(Job& job, const Transfer& transfer);

/// Counts and settles a transfer. `result` is what the real call returned.
void after_transfer(Job& job, const Transfer& transfer, ssize_t result);

/// Called after a trusted read that began at `start_ns`. When the read took longer than a copy from memory, the account is looked at immediately, because only
/// at that moment it is known which read needed the disk.
void after_trusted(Job& job, const Transfer& transfer, ssize_t result, std::uint64_t start_ns);

/// The most bytes that one call may move at once under the job's present limit: the bytes of 100 ms at the rate. So a long call is paced instead of being one
/// stall and one burst. Returns SIZE_MAX when nothing limits the job, when the transfer is shorter than that, and when the file is not charged.
std::size_t part_bytes_max(Job& job, const Transfer& transfer);

/// The offset that a program passed by pointer. kAtPointer when there is no pointer, or when the offset cannot be read (the real call will
/// report the error).
std::int64_t offset_at(const off64_t* offset);

/// How many of the `part` bytes of a copy exist. Programs ask for more bytes than the source holds, and stop at its end.
std::uint64_t copied_bytes_max(Job& job, const Transfer& from, std::uint64_t part);

/// Called when the program has got a descriptor's status. The status is noted, so that the library need not ask for it again when the file is read. Only
/// regular files whose class is unknown are noted. Keeps errno.
void note_status(int fd, const struct stat& status);

/// False when note_status() would have nothing to do: the file's class is known, or the file is trusted without a look and will most likely be closed before its class matters.
inline bool wants_status(int fd) {
  const OpenFile* file = known_open_file(fd);
  return file == nullptr ||
         (file->file_class.load(std::memory_order_relaxed) == FileClass::unknown && !trust.is_given(*file));
}

/// True when the next byte of a write would lie at the process's own limit for files. Writing this byte raises SIGXFSZ. One long call that ends at the limit
/// raises no signal.
bool is_at_size_limit(const Transfer& transfer);

/// Makes the real call of a charged transfer. The call may wait for the disk even when no cost was predicted, namely for a window that an earlier call has started to
/// bring in.
template <typename Call>
ssize_t run_waiting(Job* job, Call call) {
  const DiskWait wait(job);
  return call();
}

/// Makes the real call of a trusted read.
template <typename Call>
ssize_t run_trusted(Job& job, const Transfer& transfer, Call call) {
  const std::uint64_t start_ns = gray::base::monotonic_ns();
  const ssize_t result = trust.count(call());
  after_trusted(job, transfer, result, start_ns);
  return result;
}

/// Runs a plain read or write, in parts when it is long. `call(done, part)` makes the real call for `part` bytes after the first `done` bytes.
template <typename Call>
__attribute__((noinline)) ssize_t run_transfer(Transfer transfer, Call call) {
  Job* here = job();
  if (here == nullptr || transfer.offset_bytes == kUntouched) return call(0, transfer.length_bytes);
  switch (route(*here, transfer)) {
    case Route::bypass:
      return call(0, transfer.length_bytes);
    case Route::trusted:
      return run_trusted(*here, transfer, [&] { return call(0, transfer.length_bytes); });
    case Route::predicted:
      break;
  }
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
    if (result < 0) {  // as the kernel does: it returns the progress, and the error comes with the next call
      errno = errno_before;
      return static_cast<ssize_t>(done);
    }
    done += static_cast<std::size_t>(result);
    if (static_cast<std::size_t>(result) < part || done >= whole) return static_cast<ssize_t>(done);
    if (transfer.offset_bytes >= 0) transfer.offset_bytes += result;
    if (is_at_size_limit(transfer)) return static_cast<ssize_t>(done);
  }
}

/// Runs a transfer of vectors, which must stay one call.
template <typename Call>
ssize_t run_vector(Transfer transfer, const iovec* vector, int count, Call call) {
  Job* here = job();
  if (transfer.offset_bytes == kUntouched) lose_position(transfer.fd);
  if (here == nullptr || transfer.offset_bytes == kUntouched || !find_file(*here, transfer)) return call();
  const std::uint64_t bytes = vector_bytes(vector, count);
  transfer.length_bytes = bytes < kCallBytesMax ? bytes : kCallBytesMax;
  if (route(*here, transfer) == Route::trusted) return run_trusted(*here, transfer, call);
  throttle::SignalHold signals;
  transfer.signals = &signals;
  if (!before_transfer(*here, transfer)) return call();
  before_call(*here, transfer);
  const ssize_t result = run_waiting(here, call);
  after_transfer(*here, transfer, result);
  return result;
}

/// Runs a copy between two descriptors inside the kernel. Its length is limited, because a short copy is a legal answer of such a call.
template <typename Call>
ssize_t run_copy(Transfer from, const off64_t* from_offset, Transfer to, const off64_t* to_offset,
                 Call call) {
  Job* here = job();
  if (here == nullptr) return call(from.length_bytes);
  throttle::SignalHold signals;
  from.signals = to.signals = &signals;
  from.is_copy = to.is_copy = true;
  find_file(*here, from);
  find_file(*here, to);
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

}  // namespace discnice::guest
