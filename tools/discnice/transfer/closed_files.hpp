// SPDX-License-Identifier: MIT
// closed_files: files that were written and closed before they were on the disk, so that they can be let go of later.
//
// No descriptor may be kept for them, so their names are. A name is found again without following a link and without opening what is no file any more,
// and only where it still stands for the same file.
//
// Knowledge assumed: /proc/self/fd tells the name that a file has. Programs that replace files rename them right after they have closed them, within
//   one folder.
// Output observed: that name, at the close; renames of it; whether its pages are on the disk, when other files are closed later.
// Inference drawn: which file is to be let go of by which name.
// What breaks it: names that are too long, that change otherwise, that another root or another user cannot see; so many files that the first are not on the
//   disk when there is no room for more. Those stay in the cache.
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

/// The file of a descriptor is about to be closed, with pages that are not on the disk.
void note_closed(Job& job, const FileId& file, int fd, const PageRun& run);

/// The new name of a file, after a rename. A load while no file is waited for.
inline void note_renamed(const char* from, const char* to) {
  if (detail::closed_count.load(std::memory_order_relaxed) != 0) detail::note_renamed(from, to);
}

/// Lets go of those that are on the disk by now; of the oldest ones, or of all.
enum class Which : std::uint8_t { oldest, all };
void let_go_of_closed(Job& job, Which which);

}  // namespace discnice::guest
