// SPDX-License-Identifier: MIT
// smooth_writes: brings a job's writes to the disk in small steps, at the job's pace.
//
// Knowledge assumed: the kernel's flusher writes a file's dirty data all at once, when the data is half a minute old or when there is too much of it
//   (mm/page-writeback.c). So the writes of a job reach the disk in bursts, even when the job is held back while it dirties pages. sync_file_range()
//   with SYNC_FILE_RANGE_WRITE alone starts the writing now. It does not wait. Unlike the other forms of that call, it does not consume a write error
//   that the program's own fsync() should report. A disk mostly serves the requests in its queue before later ones.
// Output observed: cachestat() tells how many pages of a range are being written. Before Linux 6.5 and in some containers, all requests under way at
//   the disk are counted instead, also the requests of others. The disk's counters tell how long its queue is. The time of a batch tells how fast
//   the disk writes.
// Inference drawn: each step starts when it is full and when the step before the previous one is on the disk. This rule keeps the job's dirty data at a
//   few steps, and the disk at the job's rate. While a job that gives way has the disk for itself, it collects a batch of steps, because on a
//   mechanical disk the seek there and back takes as long as a step. Each step of the batch waits for the job's turn (wait_for_turn()), so a foreground
//   that comes finds one or two steps in the queue. While others use the disk, each step is a turn of its own. A process can send a small file only
//   before it closes the file, and each file is one request. So a job that gives way leaves some small files to the kernel, and the launcher sends them
//   together (protocol/left_writes.hpp).
// What breaks it: files that are removed within half a minute would never be written by the kernel, but are sent here. So nothing is sent until a job
//   has written a fair amount, and small files of some steps' size are always left to the kernel. Writes to memory maps are left to the kernel.
#pragma once

#include <cstdint>

#include "tools/discnice/descriptor/open_files.hpp"
#include "tools/discnice/job/job.hpp"
#include "tools/discnice/throttle/throttle.hpp"

namespace discnice::guest {

/// Whether writes to the file wait for their turn when they are sent to the disk. Then they need not wait when the program writes them.
bool is_sent_in_steps(const Job& job, const Grant& grant, const OpenFile& file);

/// Called after a write of `bytes` to a charged file. Starts a step, or a batch, when it is full. Waits for an earlier step and for the job's turn, under the call's own hold
/// on signals. Returns true when data was sent to the disk.
bool smooth_after_write(Job& job, OpenFile& file, int fd, std::uint64_t bytes, throttle::SignalHold& signals);

/// Whether the remaining dirty data of a file is sent to the disk when the file is closed.
bool is_sent_at_close(const Job& job, const OpenFile& file);

/// Called before a descriptor of a charged file is closed. Sends the rest of the file's last step. Returns true when it was sent. May wait like a write. Keeps errno.
bool smooth_before_close(Job& job, OpenFile& file, int fd);

}  // namespace discnice::guest
