// SPDX-License-Identifier: MIT
// pressure: tells whether other programs are waiting for a disk, where no counters show it (network file systems, FUSE, volumes over several disks).
//
// Knowledge assumed: the kernel adds up the time in which any task of this host waits for a disk, including the job's tasks
//   (Documentation/accounting/psi.rst). Each member of the job knows how long its own calls that needed a disk took.
// Output observed: how much both times have grown between two looks.
// Inference drawn: the waiting time beyond the job's own is the waiting time of others. A job that reads without a pause hides the others, because
//   the kernel counts a moment once, even if many tasks wait in that moment. So the job pauses for a moment a few times a second, and checks
//   whether others wait. If a call of the job was still under way then, the job listens once more. The job also listens during the time in which it
//   is held back.
// What breaks it: programs that wait for another disk are taken for foreground of this disk. Some waiting of the job shows in no call: page faults of
//   maps, and the kernel's own writing of the job's data. This waiting is taken for the waiting of others. When many processors work, the
//   figure becomes small, because the kernel weights each processor's waiting.
#pragma once

#include <cstdint>

#include "tools/discnice/contract/disk_activity.hpp"
#include "tools/discnice/contract/grant.hpp"

namespace discnice::policy {

/// How long a job keeps still to listen, and how often: less than a tenth of its time. The kernel counts in whole ticks of its clock, and each reader
/// loses the fraction of a tick. So shorter windows would show nothing.
inline constexpr std::uint64_t kListenNs = 20'000'000;
inline constexpr std::uint64_t kListenEveryNs = 250'000'000;

/// Whether a sample is due now. An earlier sample would only make the next sample less exact. Pure.
bool is_pressure_due(const DiskActivity& activity, std::uint64_t now_ns);

/// The instant until which the job keeps still; 0 while it does not keep still. Damaged shared memory cannot make this longer than one window. Pure.
inline std::uint64_t listening_until_ns(const DiskActivity& activity, std::uint64_t now_ns) {
  const bool is_listening =
      activity.listen_until_ns > now_ns && activity.listen_until_ns - now_ns <= kListenNs;
  return is_listening ? activity.listen_until_ns : 0;
}

/// Returns what is known after one more sample, which was due. Pure.
DiskActivity observe_pressure(const DiskActivity& before, const PressureSample& pressure,
                              const OwnTraffic& own, const Grant& grant, std::uint64_t now_ns);

}  // namespace discnice::policy
