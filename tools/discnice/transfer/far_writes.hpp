// SPDX-License-Identifier: MIT
// far_writes: brings a job's writes to the disk in steps, on file systems whose dirty data lies with a server in user space (FUSE).
//
// Knowledge assumed: data that is written to such a server is dirty in the memory of the file system below. sync_file_range() does not reach that
//   data; fdatasync() does. fdatasync() also consumes a write error that the program's own fsync() should report.
// Output observed: how long each step took. This time also shows the effect of the disk's other users (progress.hpp).
// Inference drawn: steps of the size that the disk writes in a moment limit how much the kernel can flush in one burst when other users come. An
//   error of a step is kept. The program's next fsync() of that descriptor that would have succeeded reports it.
// What breaks it: files smaller than a step stay with the kernel, because each fdatasync() would cost a disk access. An fsync() of another descriptor
//   of the same file does not report the error.
#pragma once

#include <cstdint>

#include "tools/discnice/descriptor/open_files.hpp"
#include "tools/discnice/job/job.hpp"

namespace discnice::guest {

/// Called after a write of `bytes`. Returns true when the file was sent to the disk.
bool flush_far_after_write(Job& job, OpenFile& file, int fd, std::uint64_t bytes);

/// Called after the program's own fsync() succeeded. Returns 0, or -1 with the errno of a failed step. Each error is reported once.
int told_of_far_error(int fd);

}  // namespace discnice::guest
