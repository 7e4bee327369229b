// SPDX-License-Identifier: MIT
// quick_way: the calls that go to the kernel after a look at their descriptor's entry alone.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tools/discnice/contract/io_op.hpp"
#include "tools/discnice/descriptor/free_pass.hpp"
#include "tools/discnice/descriptor/open_files.hpp"
#include "tools/discnice/descriptor/warm_streak.hpp"
#include "tools/discnice/job/job.hpp"

namespace discnice::shim {

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

}  // namespace discnice::shim
