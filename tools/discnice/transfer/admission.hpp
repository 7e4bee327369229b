// SPDX-License-Identifier: MIT
// admission: when may an operation go? Asks the policy, books its cost in the job's budget, and waits.
//
// A wait gives way to a signal, for a person's Ctrl-C must be felt at once. What it did not wait for stays owed, and the process's next calls pay it.
#pragma once

#include <cstdint>

#include "tools/discnice/contract/io_estimate.hpp"
#include "tools/discnice/job/job.hpp"
#include "tools/discnice/kernel/disk_watch.hpp"
#include "tools/discnice/throttle/throttle.hpp"

namespace discnice::guest {

/// Where an operation goes. Of a copy the read is booked already when its write asks, and not done: to compare with the kernel's
/// account then would take it for a mistake. The write goes along with its read.
struct Place {
  protocol::Disk* disk;
  Looking looking = Looking::afresh;
};

/// Asks the policy for this cost and moves the shared accounts; waits until the later of its answer and of the debt. Returns
/// whether the call may wait again: not when it was not allowed to, and not after a signal.
bool admit(Job& job, const IoEstimate& estimate, const Place& place, bool may_wait,
           throttle::SignalHold& signals);

/// For an engine that does not wait in the call: `now_ns` when the job's policy lets `bytes` go to that disk beside its other users, and the turn is
/// taken then; else when to ask again. At once where the policy gives way to nobody, and of a null disk.
std::uint64_t ask_for_turn(Job& job, protocol::Disk* disk, std::uint64_t bytes, std::uint64_t now_ns);

/// Waits until the job's policy lets `bytes` go to that disk beside its other users; at once where the policy gives way to nobody. False: a signal
/// ended the wait. errno is kept.
bool wait_for_turn(Job& job, protocol::Disk* disk, std::uint64_t bytes, throttle::SignalHold& signals);

/// Pays what the process still owes from before, if anything. For calls that may reach the disk in ways
/// nobody predicts.
void pay_debt(Job& job);

}  // namespace discnice::guest
