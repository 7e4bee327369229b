// SPDX-License-Identifier: MIT
// far_writes: brings the written data of a job to its disk in steps, on file systems whose dirty data is held by a server in user space (FUSE).
//
// Knowledge assumed: what a write hands to such a server is dirty in the memory of the file system below, where sync_file_range() does not reach;
//   fdatasync() does. It takes a write error away from the program's own fsync().
// Output observed: how long each step took; it tells of the disk's other users as well (progress.hpp).
// Inference drawn: a step as large as the disk writes in a moment bounds what the kernel can flush in a burst when others come. An error that a step
//   has met is kept, and told by the program's next fsync() of that descriptor that would have succeeded.
// What breaks it: files smaller than a step, which stay with the kernel: each fdatasync() would cost an access. An fsync() of another descriptor of
//   the same file does not tell the error.
#pragma once

#include <cstdint>

#include "tools/discnice/descriptor/open_files.hpp"
#include "tools/discnice/job/job.hpp"

namespace discnice::guest {

/// To be called after a write of `bytes`. True if the file was brought to the disk.
bool flush_far_after_write(Job& job, OpenFile& file, int fd, std::uint64_t bytes);

/// To be called after a successful fsync() of the program. Returns 0, or -1 with the errno of a step that failed; each error is returned once.
int told_of_far_error(int fd);

}  // namespace discnice::guest
