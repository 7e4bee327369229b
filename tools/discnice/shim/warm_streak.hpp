// SPDX-License-Identifier: MIT
// warm_streak: notices that a process lives off the page cache, so that its reads need not be predicted one by one.
//
// Knowledge assumed: the kernel books a read of the disk to the process before the call that caused it returns
//   (task_io_account_read() in submit_bio(), shown by getrusage()).
// Output observed: the predictions made so far and the kernel's account, looked at once a tick.
// Inference drawn: after two read-ahead windows of data in which neither knew of a disk read, the next read is most likely
//   cached as well. Reads are then let through and settled by the account alone.
// What breaks it: a cold file in the middle of a streak. At most what fits between two looks at the account goes
//   unpredicted (one read-ahead window, as a disk read takes longer than a tick); it is paid for afterwards.
#pragma once

#include <cstdint>

#include "tools/discnice/shim/job.hpp"
#include "tools/discnice/shim/open_files.hpp"

namespace discnice::shim {

/// True when a read of this file may go unpredicted now. Never where the kernel's account would not show the read,
/// nor when the job is told to go without the account.
bool is_in_warm_streak(const Job& job, const OpenFile& file);

/// A read of a file returned that many bytes, and nothing is known to have come from the disk.
void note_free_read(std::uint64_t bytes);

/// A read was predicted to reach the disk, or the account says that one did: the streak ends.
void end_warm_streak();

}  // namespace discnice::shim
