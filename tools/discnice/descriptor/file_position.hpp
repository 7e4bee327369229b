// SPDX-License-Identifier: MIT
// file_position: remembers the position of a descriptor, so that the kernel need not be asked at each read and write.
//
// Knowledge assumed: a file that was opened by name stands at its beginning, and moves on by what a read or write returns.
// Output observed: what the program's own calls on the descriptor return, lseek() among them.
// Inference drawn: the position. If anything else may have moved it (a trusted read, a copy, a stream, a descriptor with the same description), the position is unknown, and the
// kernel is asked. What breaks it: a description may be shared in ways that the library does not see: with a forked child, with a process that received the descriptor, or by a
// ring. So the kernel is asked again once for each megabyte. Until then a prediction is made for a wrong place of the file, and the account corrects it.
#pragma once

#include <cstdint>

#include <fcntl.h>
#include <sys/types.h>

#include "tools/discnice/descriptor/open_files.hpp"

namespace discnice::guest {

/// Notes that a file was just opened by name with these flags, and that nothing was read or written yet.
inline void note_opened(OpenFile& file, int flags) {
  file.opening_flags.store(static_cast<std::uint32_t>(flags) | OpenFile::kHasFlags,
                           std::memory_order_relaxed);
  file.position.store((flags & O_APPEND) != 0 ? OpenFile::kShared : 1, std::memory_order_relaxed);
}

/// Notes that the descriptor is moved, or may be moved, by a call that is not counted here. The next call that needs the position asks the kernel.
inline void lose_position(OpenFile& file) {
  std::uint64_t known = file.position.load(std::memory_order_relaxed);
  while (known != OpenFile::kNotKnown && known != OpenFile::kShared &&
         !file.position.compare_exchange_weak(known, OpenFile::kNotKnown, std::memory_order_relaxed)) {
  }
}
inline void lose_position(int fd) {
  if (OpenFile* file = known_open_file(fd); file != nullptr) lose_position(*file);
}

/// Notes that the open file behind the descriptor is now shared with another descriptor or a stream. From here on the kernel is asked for the position each time, and the flags
/// may change.
void note_shared(int fd);

/// Notes the result of lseek(), and returns it.
off64_t note_sought(int fd, off64_t result);

/// Notes the result of a read or write at the position. Any thread.
void note_moved(OpenFile& file, ssize_t result);

/// Tells where the next read or write of this many bytes at the position begins. False if the descriptor has no position.
bool find_position(OpenFile& file, int fd, std::uint64_t length_bytes, std::uint64_t* offset_bytes);

}  // namespace discnice::guest
