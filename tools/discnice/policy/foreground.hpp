// SPDX-License-Identifier: MIT
// foreground: is somebody else using this disk?
//
// Knowledge assumed: a block device counts each request when it has ended, and shows how many are under way
//   (Documentation/admin-guide/iostats.rst). What a process reads is booked to it when the request is submitted; what it
//   writes, when the page becomes dirty, and the device sees it up to half a minute later.
// Output observed: the device's counters, every few milliseconds while a job that gives way has something to do; what the
//   job's own members were booked.
// Inference drawn: bytes at the device beyond those the job was booked for, or requests under way while none of ours is
//   outstanding, are the foreground's. A foreground that comes back soon after we took the disk for idle had only paused:
//   the interval in which the disk must be quiet first grows by half its base, up to a bound, and shrinks again when the
//   disk has been ours for a while (preemption intervals: Eggert & Touch, SOSP 2005).
// What breaks it: members that read without our seeing it (static programs); the file system's own writes, which are nobody's
//   and pass for foreground beyond a small allowance; a device below ours (RAID members, a disk shared by virtual machines).
#pragma once

#include <cstddef>
#include <cstdint>

#include "tools/discnice/contract/disk_activity.hpp"
#include "tools/discnice/contract/grant.hpp"

namespace discnice::policy {

/// A pace from which on nothing is held.
inline constexpr std::uint64_t kPaceUnlimited = UINT64_C(1) << 40;
/// The slowest pace `nice` knows; the floor keeps the job above it anyway.
inline constexpr std::uint64_t kPaceMin = 64 * 1024;
/// Bounds of the interval in which the disk must have been quiet.
inline constexpr std::uint64_t kPreemptionMinNs = 2'000'000;
inline constexpr std::uint64_t kPreemptionMaxNs = 100'000'000;

/// Reads the text of /sys/block/DEVICE/stat. False when it is not that.
bool parse_disk_sample(const char* text, std::size_t length, DiskSample* sample);

/// What is known after a further sample. Pure.
DiskActivity observe(const DiskActivity& before, const DiskSample& sample, const OwnTraffic& own,
                     const Grant& grant, std::uint64_t now_ns);

}  // namespace discnice::policy
