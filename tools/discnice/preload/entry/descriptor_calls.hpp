// SPDX-License-Identifier: MIT
// descriptor_calls: the helpers of the macros in descriptor_calls.inc and of the lines in interposed.def.
#pragma once

#include <cstdint>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>

#include "toolbox/base/clock.hpp"
#include "tools/discnice/job/caller_memory.hpp"
#include "tools/discnice/preload/entry/hooks.hpp"
#include "tools/discnice/transfer/announced_reads.hpp"
#include "tools/discnice/transfer/changed_ranges.hpp"
#include "tools/discnice/transfer/far_writes.hpp"

namespace discnice::guest {

inline constexpr int kNoWaitFlag = 8;  // RWF_NOWAIT

inline void* at(void* buffer, std::size_t done) {
  return static_cast<char*>(buffer) + done;
}

inline const void* at(const void* buffer, std::size_t done) {
  return static_cast<const char*>(buffer) + done;
}

inline off64_t off(std::size_t done) {
  return static_cast<off64_t>(done);
}

// The offset at which preadv2 and similar calls read. -1 is the file's own position. A call whose caller forbade waiting is
// passed through.
inline std::int64_t place_of(off64_t offset, int flags) {
  if ((flags & kNoWaitFlag) != 0) return kUntouched;
  return offset < 0 ? kAtPointer : offset;
}

inline bool is_lock_command(int command) {
  return command == F_SETLK || command == F_SETLKW || command == F_OFD_SETLK || command == F_OFD_SETLKW;
}

// Notes that a lock was taken or released. Only a release of the whole file counts as a release, because programs lock the parts of a file one by one.
inline void note_record_lock(int fd, const void* argument) {
  struct flock lock {};
  if (!read_caller(argument, &lock, sizeof lock)) return;
  if (lock.l_type != F_UNLCK) return note_lock(fd, gray::base::monotonic_ns());
  note_unlock(fd);
}

// The parameters that say which file is opened have other names in each wrapper. In the raw system call they always have the same order.
inline Opening asked_to_open(long /*number*/, int folder, long path, int flags, mode_t /*mode*/) {
  return before_opening(folder, reinterpret_cast<const char*>(path), flags);
}

inline bool takes_mode(int flags) {
  return (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
}

// Prepares for the changes that these flags of open() may make, and then opens the file by `call`.
template <typename Call>
inline int open_by(int flags, const Opening& opening, Call call) {
  return opened(run_settled(call), flags, opening);
}

}  // namespace discnice::guest
