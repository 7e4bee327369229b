// SPDX-License-Identifier: MIT
// transfer_call: one transfer on one descriptor, from the hook that saw it to its end.
#pragma once

#include <cstdint>

#include "tools/discnice/contract/io_op.hpp"
#include "tools/discnice/descriptor/open_files.hpp"
#include "tools/discnice/kernel/progress.hpp"
#include "tools/discnice/observe/verification.hpp"
#include "tools/discnice/throttle/throttle.hpp"

namespace discnice::guest {

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
  // The descriptor's entry, which is looked up once a call; null until then, or when it is no charged file (route.hpp).
  OpenFile* file = nullptr;
  // False once a signal has ended a wait of this call: the rest of it must not wait again.
  bool may_wait = true;
  // The call's hold on signals; begun by its first wait.
  throttle::SignalHold* signals = nullptr;
  // A side of a copy inside the kernel, which reads through a pipe of its own.
  bool is_copy = false;
  // All of its file is believed to be in the page cache, which was found in that term (trust.hpp).
  bool is_believed_cached = false;
  std::uint32_t term = 0;
  // The kernel's account just before the call, while verifying or recording.
  ThreadAccount account_before = {};
  // Of the call in the recording; 0 when it is not in it.
  std::uint64_t record_number = 0;
  // When all waits were over, while recording; 0 otherwise.
  std::uint64_t went_ns = 0;
  // It goes on where the file's last read ended.
  bool is_going_on = false;
  // Where only the job's own progress tells of others: what this call will tell.
  TellingCall telling = {};
};

}  // namespace discnice::guest
