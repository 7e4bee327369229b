// SPDX-License-Identifier: MIT
// closed_files: remembers files that were written and closed before they were on the disk, so that their pages can be dropped later.
//
// No descriptor may be kept for these files, so their names are kept. To find a file again, its name is opened without following a link and only if it is a regular file. The
// name is used only if it still stands for the same file.
//
// Knowledge assumed: /proc/self/fd tells the name that a file has. Programs that replace files rename them right after they have closed them, within
//   one folder.
// Output observed: that name, at the close; renames of it; whether its pages are on the disk, when other files are closed later.
// Inference drawn: which file is to be let go of by which name.
// What breaks it: names that are too long, that change in another way, or that another root or user cannot see; and so many files that the first ones are not on the disk yet
// when the table is full. Those stay in the cache.
#pragma once

#include <atomic>
#include <cstdint>

#include "tools/discnice/contract/io_op.hpp"
#include "tools/discnice/descriptor/brought_pages.hpp"
#include "tools/discnice/job/job.hpp"

namespace discnice::guest {

namespace detail {
extern __attribute__((visibility("hidden"))) std::atomic<unsigned> closed_count;
void note_renamed(const char* from, const char* to);
}  // namespace detail

/// To be called when the file of a descriptor is about to be closed, and some of its pages are not on the disk.
void note_closed(Job& job, const FileId& file, int fd, const PageRun& run);

/// Notes the new name of a file after a rename. One load while no file is remembered.
inline void note_renamed(const char* from, const char* to) {
  if (detail::closed_count.load(std::memory_order_relaxed) != 0) detail::note_renamed(from, to);
}

/// Drops the pages of files that are on the disk by now: either of the oldest files, or of all.
enum class Which : std::uint8_t { oldest, all };
void let_go_of_closed(Job& job, Which which);

}  // namespace discnice::guest
