// SPDX-License-Identifier: MIT
// file_position: where a descriptor stands, so that the kernel need not be asked at each read and write there.
//
// Knowledge assumed: a file that was opened by name stands at its beginning, and moves on by what a read or write returns.
// Output observed: what the program's own calls on the descriptor return, lseek() among them.
// Inference drawn: the position. Where anything else may have moved it (a trusted read, a copy, a stream, a descriptor with the same description) it is
//   not known, and the kernel is asked.
// What breaks it: a description that is shared in ways nobody sees: with a forked child, or a process it was sent to; a ring. So it is asked
//   for again once a megabyte; until then a prediction is made for another place of the file, and the account corrects it.
#pragma once

#include <cstdint>

#include <fcntl.h>
#include <sys/types.h>

#include "tools/discnice/descriptor/open_files.hpp"

namespace discnice::guest {

/// A file was just opened by name with these flags, and nothing was read or written yet.
inline void note_opened(OpenFile& file, int flags) {
  file.opening_flags.store(static_cast<std::uint32_t>(flags) | OpenFile::kHasFlags,
                           std::memory_order_relaxed);
  file.position.store((flags & O_APPEND) != 0 ? OpenFile::kShared : 1, std::memory_order_relaxed);
}

/// The descriptor is moved, or may be, by what is not counted here. The next one who wants to know asks.
inline void lose_position(OpenFile& file) {
  std::uint64_t known = file.position.load(std::memory_order_relaxed);
  while (known != OpenFile::kNotKnown && known != OpenFile::kShared &&
         !file.position.compare_exchange_weak(known, OpenFile::kNotKnown, std::memory_order_relaxed)) {
  }
}
inline void lose_position(int fd) {
  if (OpenFile* file = known_open_file(fd); file != nullptr) lose_position(*file);
}

/// The description behind the descriptor has another one now, or a stream. Its position is asked for each time from here on, and its flags may change.
void note_shared(int fd);

/// lseek() has returned this. Returns it.
off64_t note_sought(int fd, off64_t result);

/// A read or write at the position has returned this. Any thread.
void note_moved(OpenFile& file, ssize_t result);

/// Where the next read or write at the position begins, of so many bytes; false when the descriptor has none.
bool find_position(OpenFile& file, int fd, std::uint64_t length_bytes, std::uint64_t* offset_bytes);

}  // namespace discnice::guest
