// SPDX-License-Identifier: MIT
// disk_watch: finds out who else uses the disks of a job, for the policies that give way to others.
//
// One member looks for all members, at most every few milliseconds; the others use its result. If discnice-policyd runs, the daemon has already read the
// counters (disk_board.hpp). No descriptor is kept. Where the disk has counters, policy/foreground.hpp judges by them. Otherwise policy/pressure.hpp judges
// under `idle`, and in all other cases policy/manners.hpp judges by the job's own calls (progress.hpp).
#pragma once

#include <cstdint>

#include "tools/discnice/contract/disk_activity.hpp"
#include "tools/discnice/contract/grant.hpp"
#include "tools/discnice/job/job.hpp"
#include "tools/discnice/policy/policy.hpp"

namespace discnice::guest {

/// The shortest time between two looks at a disk.
inline constexpr std::uint64_t kLookNs = 2'500'000;

/// `afresh`: the process may look at the disk, and then also settles. `as_known`: the process neither looks at the disk nor settles.
enum class Looking : std::uint8_t { afresh, as_known };

/// What is known of the disk's other users. Looks first if the last look is old. Returns false when nothing is known.
bool look_at_disk(Job& job, protocol::Disk& disk, Looking looking, const Grant& grant, std::uint64_t now_ns,
                  DiskActivity* activity);

/// The policy that decides on that disk. The policy is `manners` where other users are noticed by the job's own progress. `disk`
/// may be null.
const policy::Policy& policy_on(const Job& job, const protocol::Disk* disk, const Grant& grant);

/// Whether others are known to have used the disk a moment ago. False for a null disk. Costs some loads.
bool is_disk_shared(const protocol::Disk* disk, std::uint64_t now_ns);

}  // namespace discnice::guest
