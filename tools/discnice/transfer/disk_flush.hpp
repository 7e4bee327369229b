// SPDX-License-Identifier: MIT
// disk_flush: makes the disk write out its own cache after a batch of a job that gives way.
//
// Knowledge assumed: a disk with a volatile write cache says that a write is done when the cache has it, and may keep it for as long as there are
//   other requests. The next flush waits for all of it (Documentation/block/writeback_cache_control.rst). The flush may be that of another program's fsync, or of the journal's
//   commit, with every read behind it. fdatasync() of a file with nothing to write does no more than flush (ext4, XFS, btrfs).
// Output observed: how long our own flush takes.
// Inference drawn: by how much time a batch would delay another program's fsync. If this time is short, the disk keeps little data in its cache, and it is flushed more and more
// rarely.
// What breaks it: the root folder of the file system was changed a moment ago; then its journal is written, too, which takes
//   longer, and is done. A mount whose root cannot be opened is not flushed.
#pragma once

#include "tools/discnice/job/job.hpp"

namespace discnice::guest {

/// To be called after a batch was written to the file behind `fd`, which lies on that disk. Waits for the disk. errno is kept; a descriptor is open during the call.
void flush_after_batch(Job& job, protocol::Disk& disk, int fd);

}  // namespace discnice::guest
