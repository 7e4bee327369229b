// SPDX-License-Identifier: MIT
// foreground: is somebody else using this disk?
//
// Knowledge assumed: a block device counts each request when it has ended, and shows how many are under way
//   (Documentation/admin-guide/iostats.rst). What a process reads is booked to it when the request is submitted; what it
//   writes, when the page becomes dirty, and the device sees it up to half a minute later.
// Output observed: the device's counters, every few milliseconds while a job that gives way has something to do; what its
//   own members, and those of this user's other jobs, were booked.
// Inference drawn: bytes at the device beyond those our jobs were booked for, reads under way while none of ours is outstanding,
//   and flushes of its cache that no call of ours asked for, are the foreground's. What follows from that is policy/giving_way.hpp.
// What breaks it: members that read without our seeing it (static programs); the file system's own writes, which are nobody's
//   and pass for foreground beyond a small allowance; a journal's commits, which look like somebody's fsync; a disk that keeps no cache of
//   writes is never told to flush it; a device below ours (RAID members, a disk shared by virtual machines).
#pragma once

#include <cstdint>

#include "tools/discnice/contract/disk_activity.hpp"
#include "tools/discnice/contract/grant.hpp"

namespace discnice::policy {

/// What is known after a further sample. Pure.
DiskActivity observe(const DiskActivity& before, const DiskSample& sample, const OwnTraffic& own,
                     const Grant& grant, std::uint64_t now_ns);

}  // namespace discnice::policy
