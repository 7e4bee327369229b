// SPDX-License-Identifier: MIT
// smooth_writes: brings the written data of a job to the disk in small paced steps.
//
// Knowledge assumed: the kernel's flusher writes a file's dirty data all at once, when it is half a minute old or when there is too much of it
//   (mm/page-writeback.c). So a job that is held back when it dirties pages still reaches the disk in bursts. sync_file_range()
//   with SYNC_FILE_RANGE_WRITE alone starts the writing now. It does not wait, and it does not take a write error away from the
//   program's own fsync(), as its other forms do. A disk serves what stands in its queue before what comes later, more or less.
// Output observed: cachestat() tells how many pages of a range are being written. Before 6.5, and in some containers, the requests under way at the disk tell this, including
// those of others. The disk's counters tell how long its queue is. The time of a batch tells how fast the disk writes.
// Inference drawn: each step starts when it is full, and not before the last but one is on the disk. That keeps the
//   job's dirty data at a few steps, and the disk at the job's rate. While a job that gives way has the disk for itself, it collects a batch of steps,
//   because on a mechanical disk the way there and back takes as long as a step. Each step of the batch waits for the job's turn
//   (wait_for_turn()), so a foreground that comes finds one or two steps in the queue. Beside others each step is a turn of its own.
// A process can send a small file only before it closes it, as one request. So a job that gives way leaves some small files to the kernel, and the launcher sends
//   them together (protocol/left_writes.hpp).
// What breaks it: files that would have been removed within half a minute are written after all. So nothing is sent until
//   a job has written a fair amount, and some steps of small files are always left. Data that is written to memory maps is left to the kernel.
#pragma once

#include <cstdint>

#include "tools/discnice/descriptor/open_files.hpp"
#include "tools/discnice/job/job.hpp"
#include "tools/discnice/throttle/throttle.hpp"

namespace discnice::guest {

/// Whether the data that is written to the file waits for its turn when it is sent to the disk. Then it need not wait when it is written.
bool is_sent_in_steps(const Job& job, const Grant& grant, const OpenFile& file);

/// To be called after a write of `bytes` to a charged file. If a step or a batch is full, this starts it, and waits for an earlier one and for the job's turn, with signals held
/// by the call. True if data was sent to the disk.
bool smooth_after_write(Job& job, OpenFile& file, int fd, std::uint64_t bytes, throttle::SignalHold& signals);

/// Whether the remaining data of a file is sent to the disk when the file is closed.
bool is_sent_at_close(const Job& job, const OpenFile& file);

/// To be called before a descriptor of a charged file is closed. Sends the rest of its last step; true if data was sent. May wait as a write does. errno is kept.
bool smooth_before_close(Job& job, OpenFile& file, int fd);

}  // namespace discnice::guest
