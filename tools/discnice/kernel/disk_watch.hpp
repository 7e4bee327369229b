// SPDX-License-Identifier: MIT
// disk_watch: finds out who else uses the disks of a job, for the policies that give way to others.
//
// One member looks for all members, at most every few milliseconds; the others use its result. If discnice-policyd runs, it has sampled the disk already (disk_board.hpp). No
// descriptor is kept. If the disk has counters, policy/foreground.hpp judges by them. If the file system has no disk with counters, policy/pressure.hpp judges under `idle`.
// Otherwise policy/manners.hpp judges, which does not look at the disk (progress.hpp).
#pragma once

#include <cstdint>

#include "tools/discnice/contract/disk_activity.hpp"
#include "tools/discnice/contract/grant.hpp"
#include "tools/discnice/job/job.hpp"
#include "tools/discnice/policy/policy.hpp"

namespace discnice::guest {

/// A disk is looked at no more often than this.
inline constexpr std::uint64_t kLookNs = 2'500'000;

/// A look first settles with the kernel's account. `as_known` neither looks nor settles.
enum class Looking : std::uint8_t { afresh, as_known };

/// Tells what is known of the other users of the disk, after a new look if the last one is old. False if nothing is known.
bool look_at_disk(Job& job, protocol::Disk& disk, Looking looking, const Grant& grant, std::uint64_t now_ns,
                  DiskActivity* activity);

/// The policy that decides for this disk. It is manners if others are seen by the job's own progress. A null disk means no disk.
const policy::Policy& policy_on(const Job& job, const protocol::Disk* disk, const Grant& grant);

/// Whether others are known to have used the disk a moment ago; false for a null disk. A few loads.
bool is_disk_shared(const protocol::Disk* disk, std::uint64_t now_ns);

}  // namespace discnice::guest
