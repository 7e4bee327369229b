// SPDX-License-Identifier: MIT
// disk_flush: makes the disk empty its own write cache after a batch of a job that gives way to others.
//
// Knowledge assumed: a disk with a volatile write cache reports a write as done when the data is in that cache. The data may stay there for as long
//   as other requests come. The next flush waits for all of this data (Documentation/block/writeback_cache_control.rst). So the fsync of any
//   program, a commit of the journal, and the reads queued behind them wait, too. fdatasync() of a file without dirty data only flushes the
//   disk's cache (ext4, XFS, btrfs).
// Output observed: how long this flush takes.
// Inference drawn: how long the fsync of another program would have waited for the batch. When that time is short, the disk's cache holds little, and the
//   flushes become rarer.
// What breaks it: a very recent change of the file system's root folder. fdatasync() then writes the journal, too, which takes
//   longer. A mount whose root cannot be opened is not flushed.
#pragma once

#include "tools/discnice/job/job.hpp"

namespace discnice::guest {

/// Called after a batch was written to the file behind `fd`, which lies on `disk`. Waits for the disk. Keeps errno. One descriptor is open meanwhile.
void flush_after_batch(Job& job, protocol::Disk& disk, int fd);

}  // namespace discnice::guest
