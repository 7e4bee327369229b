// SPDX-License-Identifier: MIT
// pressure: decides whether somebody else waits for a disk, for disks without counters (network file systems, FUSE, volumes over several disks).
//
// Knowledge assumed: the kernel adds up the time in which any task of this host waits for a disk, ours included
//   (Documentation/accounting/psi.rst). Each of our members knows how long its own calls took that needed one.
// Output observed: how much both have grown between two looks.
// Inference drawn: waiting time beyond the job's own is the waiting of somebody else. A job that reads without a pause hides the others, because the kernel counts
//   a moment once, however many wait in it. So the job keeps still for a moment a few times a second, and listens. If a call of
//   ours was still under way then, it listens once more. The time in which the job is held back anyway serves as well.
// What breaks it: a program that waits for another disk is taken for a foreground of this disk. Some waits of the job show in no call: page faults of maps, and the kernel's
// writing of the job's data. These are taken for the waits of somebody else. When many processors work the figure becomes small, because the kernel
//   weighs each processor's waiting by its share.
#pragma once

#include <cstdint>

#include "tools/discnice/contract/disk_activity.hpp"
#include "tools/discnice/contract/grant.hpp"

namespace discnice::policy {

/// How long a job stops to look who waits, and how often: less than a tenth of its time. The kernel counts whole ticks of its clock and drops the rest, so shorter windows would
/// see nothing.
inline constexpr std::uint64_t kListenNs = 20'000'000;
inline constexpr std::uint64_t kListenEveryNs = 250'000'000;

/// Whether a sample must be taken now. A sample in between would only make the next one less exact. Pure.
bool is_pressure_due(const DiskActivity& activity, std::uint64_t now_ns);

/// Until when the job stops to look; 0 if it does not. A wrong byte in shared memory makes this no longer than one window. Pure.
inline std::uint64_t listening_until_ns(const DiskActivity& activity, std::uint64_t now_ns) {
  const bool is_listening =
      activity.listen_until_ns > now_ns && activity.listen_until_ns - now_ns <= kListenNs;
  return is_listening ? activity.listen_until_ns : 0;
}

/// The knowledge after one more sample, which was taken when it was due. Pure.
DiskActivity observe_pressure(const DiskActivity& before, const PressureSample& pressure,
                              const OwnTraffic& own, const Grant& grant, std::uint64_t now_ns);

}  // namespace discnice::policy
