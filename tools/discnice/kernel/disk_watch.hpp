// SPDX-License-Identifier: MIT
// disk_watch: who else uses the disks a job uses? For the policies that give way to others.
//
// One member looks for all, at most every few milliseconds; the others use what it found. Where discnice-policyd runs it has looked
// already (disk_board.hpp). No descriptor is kept. By a disk's counters policy/foreground.hpp judges; where a file system has no disk with
// counters, policy/pressure.hpp under `idle`, and else policy/manners.hpp, which looks at nothing (progress.hpp).
#pragma once

#include <cstdint>

#include "tools/discnice/contract/disk_activity.hpp"
#include "tools/discnice/contract/grant.hpp"
#include "tools/discnice/job/job.hpp"
#include "tools/discnice/policy/policy.hpp"

namespace discnice::guest {

/// Not more often than this is a disk looked at.
inline constexpr std::uint64_t kLookNs = 2'500'000;

/// A look settles with the kernel's account first; `as_known` leaves both alone.
enum class Looking : std::uint8_t { afresh, as_known };

/// What is known of the disk's other users, after a look if the last one is old. False when nothing tells.
bool look_at_disk(Job& job, protocol::Disk& disk, Looking looking, const Grant& grant, std::uint64_t now_ns,
                  DiskActivity* activity);

/// The policy that decides there: where others are seen by the job's own progress, manners does. A null disk is none.
const policy::Policy& policy_on(const Job& job, const protocol::Disk* disk, const Grant& grant);

/// Whether others have used the disk a moment ago, as far as is known; not of a null disk. Some loads.
bool is_disk_shared(const protocol::Disk* disk, std::uint64_t now_ns);

}  // namespace discnice::guest
