// SPDX-License-Identifier: MIT
// admission: decides when an operation may start. It asks the policy, charges the cost to the job's budget, and waits.
//
// A signal ends a wait, because a person's Ctrl-C must take effect at once. The rest of the wait stays a debt, and the process's next calls pay it.
#pragma once

#include <cstdint>

#include "tools/discnice/contract/io_estimate.hpp"
#include "tools/discnice/job/job.hpp"
#include "tools/discnice/kernel/disk_watch.hpp"
#include "tools/discnice/throttle/throttle.hpp"

namespace discnice::guest {

/// The disk of an operation, and how to look for other users of this disk. The write side of a copy uses Looking::as_known: at that time the read side is
/// charged, and the read is not made yet. A comparison with the kernel's account would take this read for a mistake of the models.
struct Place {
  protocol::Disk* disk;
  Looking looking = Looking::afresh;
};

/// Asks the policy for this cost and changes the shared accounts. Waits until the later of two instants: the policy's answer, and the end of the debt.
/// Returns whether the call may wait again. The result is false when `may_wait` was false, and when a signal ended the wait.
bool admit(Job& job, const IoEstimate& estimate, const Place& place, bool may_wait,
           throttle::SignalHold& signals);

/// Used by an engine that does not wait inside the call. Returns `now_ns` when the job's policy allows an operation of `bytes` on that disk despite the
/// disk's other users. The turn is then taken. Otherwise returns the instant at which to ask again. Returns `now_ns` when the policy never gives way to
/// others, and when `disk` is null.
std::uint64_t ask_for_turn(Job& job, protocol::Disk* disk, std::uint64_t bytes, std::uint64_t now_ns);

/// Waits until the job's policy allows an operation of `bytes` on that disk despite the disk's other users. Does not wait when the policy
/// never gives way to others. Returns false when a signal ended the wait. Keeps errno.
bool wait_for_turn(Job& job, protocol::Disk* disk, std::uint64_t bytes, throttle::SignalHold& signals);

/// Waits until the process's debt from earlier calls is paid. Used before calls that may reach the disk in ways that no model predicts.
void pay_debt(Job& job);

}  // namespace discnice::guest
