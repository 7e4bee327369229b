// SPDX-License-Identifier: MIT
// file_position: knows the position of a descriptor, so that the kernel need not be asked at each read and write there.
//
// Knowledge assumed: the position of a file that was opened by name is at its beginning. A read or write moves the position by the number of
//   bytes that the call returns.
// Output observed: the results of the program's own calls on the descriptor, lseek() among them.
// Inference drawn: the position. When something else may have moved the position (a trusted read, a copy, a stream, another descriptor of the same
//   open file), the position is unknown, and the kernel is asked.
// What breaks it: an open file that is shared in a way that the library does not see: with a forked child, with a process that received the
//   descriptor over a socket, with an io_uring ring. So the kernel is asked again once in each megabyte. Until then predictions are made for
//   another place of the file, and the kernel's account corrects them.
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

/// Something that is not counted here moved the descriptor, or may move it. The next caller that needs the position asks the kernel.
inline void lose_position(OpenFile& file) {
  std::uint64_t known = file.position.load(std::memory_order_relaxed);
  while (known != OpenFile::kNotKnown && known != OpenFile::kShared &&
         !file.position.compare_exchange_weak(known, OpenFile::kNotKnown, std::memory_order_relaxed)) {
  }
}
inline void lose_position(int fd) {
  if (OpenFile* file = known_open_file(fd); file != nullptr) lose_position(*file);
}

/// The open file behind the descriptor now has another descriptor, or a stream. From here on the kernel is asked for the position each time, and the flags
/// may change.
void note_shared(int fd);

/// Notes the result of lseek(), and returns that result.
off64_t note_sought(int fd, off64_t result);

/// Notes the result of a read or write at the position. Any thread may call this.
void note_moved(OpenFile& file, ssize_t result);

/// The offset at which the next read or write of `length_bytes` at the position begins. Returns false when the descriptor
/// has no position.
bool find_position(OpenFile& file, int fd, std::uint64_t length_bytes, std::uint64_t* offset_bytes);

}  // namespace discnice::guest
