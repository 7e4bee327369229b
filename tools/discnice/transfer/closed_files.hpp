// SPDX-License-Identifier: MIT
// closed_files: remembers files that were closed before their data was on the disk, so that their pages can be dropped from the cache later.
//
// The library may not keep a descriptor for such a file, so it keeps the file's name. To find the file again, it opens the name without following a link, opens
// only regular files, and checks that the name still belongs to the same file.
//
// Knowledge assumed: /proc/self/fd tells the name of an open file. Programs that replace a file rename the new file right after they closed it, within one folder.
// Output observed: the name at the close; renames of that name; whether the file's pages are on the disk, checked when other files are closed later.
// Inference drawn: which file's pages are to be dropped, and by which name the file is found.
// What breaks it: names that are too long, that change in another way, or that another root or another user hides from this process; so many closed
//   files that the oldest file is not on the disk when its place in the table is needed. The pages of these files stay in the cache.
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

/// Called when a descriptor is about to be closed whose file has pages that are not on the disk.
void note_closed(Job& job, const FileId& file, int fd, const PageRun& run);

/// Tells the new name of a renamed file. Costs one load while no file is remembered.
inline void note_renamed(const char* from, const char* to) {
  if (detail::closed_count.load(std::memory_order_relaxed) != 0) detail::note_renamed(from, to);
}

/// Drops the pages of the remembered files that are on the disk by now: of the oldest files, or of all.
enum class Which : std::uint8_t { oldest, all };
void let_go_of_closed(Job& job, Which which);

}  // namespace discnice::guest
