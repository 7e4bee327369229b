// SPDX-License-Identifier: MIT
// foreground: tells whether somebody else is using this disk.
//
// Knowledge assumed: a block device counts each request when the request has ended, and shows how many are under way
//   (Documentation/admin-guide/iostats.rst). The kernel charges a read to the process when the request is submitted. It charges a write when the page
//   becomes dirty. The device sees that write up to half a minute later.
// Output observed: the device's counters, every few milliseconds while a job that gives way has something to do; the bytes charged to the job's own
//   members and to this user's other jobs.
// Inference drawn: three things belong to the foreground: bytes at the device beyond those that were charged to this user's jobs; reads under way
//   while no read of these jobs is outstanding; and flushes of the disk's cache that no call of these jobs requested. policy/giving_way.hpp describes
//   the job's reaction.
// What breaks it: members whose reads the library does not see (static programs). The file system's own writes: they belong to no program, and beyond
//   a small allowance they are taken for foreground. A journal's commits, which look like another program's fsync. A disk without a write cache,
//   because the kernel never flushes it. A device that shares a disk with other devices (members of a RAID, disks of virtual machines).
#pragma once

#include <cstdint>

#include "tools/discnice/contract/disk_activity.hpp"
#include "tools/discnice/contract/grant.hpp"

namespace discnice::policy {

/// Returns what is known after one more sample. Pure.
DiskActivity observe(const DiskActivity& before, const DiskSample& sample, const OwnTraffic& own,
                     const Grant& grant, std::uint64_t now_ns);

}  // namespace discnice::policy
