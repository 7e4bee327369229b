// SPDX-License-Identifier: MIT
// smooth_writes: brings what a job writes to the disk in small paced steps.
//
// Knowledge assumed: the kernel's flusher writes a file's dirty data all at once when it is half a minute old or too much
//   (mm/page-writeback.c), so a job that is held to a rate when it dirties pages still hits the disk in spikes. sync_file_range()
//   with SYNC_FILE_RANGE_WRITE alone starts that writing now, and neither waits nor takes a write error away from the
//   program's own fsync(), as its waiting forms do.
// Output observed: cachestat() tells how many pages of a range are being written.
// Inference drawn: starting each step when it is full, and not beginning the next before the last but one is on disk, keeps the
//   job's dirty data at a few steps and the disk at the job's rate.
// What breaks it: files that would have been removed within half a minute are written after all; so small ones are left alone until
//   a process has written a fair amount.
#pragma once

#include <cstdint>

#include "tools/discnice/shim/job.hpp"
#include "tools/discnice/shim/open_files.hpp"
#include "tools/discnice/throttle/throttle.hpp"

namespace discnice::shim {

/// After a write of `bytes` to a charged file that ended at `end_bytes` (or anywhere: -1). Starts a step when one is full, and may wait a
/// moment for an earlier one, under the call's own hold on signals. True when data was sent to the disk.
bool smooth_after_write(Job& job, OpenFile& file, int fd, std::uint64_t bytes, throttle::SignalHold& signals);

/// Before a descriptor is closed: what is left of its last step.
void smooth_before_close(int fd);

}  // namespace discnice::shim
