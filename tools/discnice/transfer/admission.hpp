// SPDX-License-Identifier: MIT
// admission: decides when an operation may go. It asks the policy, books the cost in the job's budget, and waits.
//
// A signal ends a wait, because a person's Ctrl-C must have effect at once. The rest of the wait stays owed, and the process's next calls pay it.
#pragma once

#include <cstdint>

#include "tools/discnice/contract/io_estimate.hpp"
#include "tools/discnice/job/job.hpp"
#include "tools/discnice/kernel/disk_watch.hpp"
#include "tools/discnice/throttle/throttle.hpp"

namespace discnice::guest {

/// The place of an operation. When the write of a copy asks, the read of the copy is booked but not yet made. A comparison with the kernel's account would take it for a mistake.
/// So the write is settled together with its read.
struct Place {
  protocol::Disk* disk;
  Looking looking = Looking::afresh;
};

/// Asks the policy for this cost and changes the shared accounts. Then waits until the later of two instants: the policy's answer and the end of the debt. Returns whether the
/// call may wait again. It may not if waiting was not allowed, or after a signal.
bool admit(Job& job, const IoEstimate& estimate, const Place& place, bool may_wait,
           throttle::SignalHold& signals);

/// For an engine that does not wait in the call. Returns `now_ns` if the job's policy lets `bytes` go to that disk beside its other users; then the turn is taken. Otherwise
/// returns when to ask again. It is at once if the policy gives way to nobody, and for a null disk.
std::uint64_t ask_for_turn(Job& job, protocol::Disk* disk, std::uint64_t bytes, std::uint64_t now_ns);

/// Waits until the job's policy lets `bytes` go to that disk beside its other users. Returns at once if the policy gives way to nobody. False if a signal ended the wait. errno
/// is kept.
bool wait_for_turn(Job& job, protocol::Disk* disk, std::uint64_t bytes, throttle::SignalHold& signals);

/// Waits for the rest of the process's debt, if there is any. For calls that may reach the disk in ways that are not predicted.
void pay_debt(Job& job);

}  // namespace discnice::guest
