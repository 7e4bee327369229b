// SPDX-License-Identifier: MIT
// transfer_call: the state of one transfer on one descriptor, from the hook that saw it to its end.
#pragma once

#include <cstdint>

#include "tools/discnice/contract/io_op.hpp"
#include "tools/discnice/descriptor/open_files.hpp"
#include "tools/discnice/kernel/progress.hpp"
#include "tools/discnice/observe/verification.hpp"
#include "tools/discnice/throttle/throttle.hpp"

namespace discnice::guest {

/// The offset that means "the file's own position".
inline constexpr std::int64_t kAtPointer = -1;
/// The offset that means "the caller forbade waiting (RWF_NOWAIT)". Such a call is passed through.
inline constexpr std::int64_t kUntouched = -2;

/// The kernel moves no more than this many bytes in one call (MAX_RW_COUNT), so the parts of one call never add up to more.
inline constexpr std::uint64_t kCallBytesMax = 0x7ffff000;

/// One transfer on one descriptor, as the hooks see it.
struct Transfer {
  OpKind kind;
  int fd;
  std::int64_t offset_bytes;
  std::uint64_t length_bytes;
  // The descriptor's entry, looked up once for each call. Null before that, and when the file is not charged (route.hpp).
  OpenFile* file = nullptr;
  // False after a signal has ended a wait of this call: the rest of the call must not wait again.
  bool may_wait = true;
  // The call's hold on signals. Its first wait begins the hold.
  throttle::SignalHold* signals = nullptr;
  // True for each side of a copy inside the kernel, which reads through a pipe of its own.
  bool is_copy = false;
  // The whole file is most likely in the page cache. `term` is the term in which this was found (trust.hpp).
  bool is_believed_cached = false;
  std::uint32_t term = 0;
  // The kernel's account just before the call, while verifying or recording.
  ThreadAccount account_before = {};
  // The number of the call in the recording; 0 when the call is not recorded.
  std::uint64_t record_number = 0;
  // The instant at which all waits were over, while recording; otherwise 0.
  std::uint64_t went_ns = 0;
  // The transfer continues where the file's last read ended.
  bool is_going_on = false;
  // The measurement of this call. It is used on disks whose other users are noticed only by the job's own progress.
  TellingCall telling = {};
};

}  // namespace discnice::guest
