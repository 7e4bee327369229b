// SPDX-License-Identifier: MIT
// foreground: decides whether somebody else uses this disk.
//
// Knowledge assumed: a block device counts each request when the request has ended, and shows how many are under way
//   (Documentation/admin-guide/iostats.rst). The kernel books a read to the process when the request is submitted. It books a
//   write when the page becomes dirty; the device sees that write up to half a minute later.
// Output observed: the device's counters, every few milliseconds while a job that gives way has something to do; and what was booked to its
//   own members and to this user's other jobs.
// Inference drawn: three things belong to the foreground. These are bytes at the device beyond those that were booked to our jobs, reads under way while none of our reads is
// outstanding, and flushes of the disk's cache that none of our calls caused. policy/giving_way.hpp says what follows from that.
// What breaks it: members whose reads we do not see (static programs). The file system's own writes: they belong to nobody, and beyond a small allowance
//   they are taken for foreground. A journal's commits, which look like somebody's fsync. A disk without a write cache, which is never told to flush
//   it. A device below ours (members of a RAID, a disk shared by virtual machines).
#pragma once

#include <cstdint>

#include "tools/discnice/contract/disk_activity.hpp"
#include "tools/discnice/contract/grant.hpp"

namespace discnice::policy {

/// The knowledge after one more sample. Pure.
DiskActivity observe(const DiskActivity& before, const DiskSample& sample, const OwnTraffic& own,
                     const Grant& grant, std::uint64_t now_ns);

}  // namespace discnice::policy
