// SPDX-License-Identifier: MIT
// manners: a policy that gives way by the job's own progress (Douceur & Bolosky, "Progress-based regulation of low-importance processes", SOSP 1999). It is for disks whose other
// users cannot be seen: network file systems, file systems in user space, volumes over several disks, containers.
//
// Knowledge assumed: programs that share a disk slow each other down. A mechanical disk alone takes about kAccessUs for an access and kKibUs for each KiB that
//   follows. A disk that is no slower than that needs no manners, even if it was faster before (a server's cache, an SSD).
// Output observed: how long the job's own calls took that needed a disk, by kind and size, over intervals of some milliseconds of waiting.
// Inference drawn: for each kind a regression over the size tells how long the calls of an interval take at the job's own best. An interval that took
//   more than a third longer is a minus. A paired sign test over the last intervals tells competition from chance. When it finds competition the job is
//   suspended. Then a probe runs for one interval: a minus doubles the suspension, and some good intervals end it. Slow intervals change the
//   expectation only a little, so that competition is not learned; but they do change it, so that a disk that became slower for good is learned in the end.
// What breaks it: a disk may go straight on with a stream and so serve the job first; then the job feels little of the others. A foreground that was there from
//   the first call to the last is part of the job's best. A foreground is felt before it is seen. Two jobs that do not know of each other take each other
//   for foreground: one goes, the other waits. A foreground that only writes is seen only when the job's own calls wait for it.
#pragma once

#include <cstdint>

#include "tools/discnice/contract/disk_activity.hpp"
#include "tools/discnice/contract/grant.hpp"
#include "tools/discnice/contract/job_progress.hpp"
#include "tools/discnice/policy/policy.hpp"

namespace discnice::policy {

extern const Policy kManners;

/// How long the job is suspended at first, and at most.
inline constexpr std::uint64_t kSuspensionMinNs = 800'000'000;
inline constexpr std::uint64_t kSuspensionMaxNs = 3'200'000'000;

/// The job's written data is brought to the disk in steps that take the disk about this long, within the sizes below. This is done on file systems where only such steps bound
/// the size of the kernel's bursts.
inline constexpr std::uint64_t kFlushNs = 96'000'000;
inline constexpr std::uint64_t kFlushBytesMin = UINT64_C(1) << 20;
inline constexpr std::uint64_t kFlushBytesMax = UINT64_C(16) << 20;

/// The size of such a step, from the speed of earlier steps. Pure.
std::uint64_t flush_bytes(const JobProgress& progress);

/// The means by which others are seen on a disk that can be observed that way, under this grant. Pure.
SeenBy observed_by(SeenBy possible, const Grant& grant);

/// Whether these calls are enough to judge by. Pure.
bool is_interval_full(const JobProgress& progress, const ProgressInterval& interval);

/// Whether a call that began at this time tells of others. A call during a suspension does not. Pure.
bool is_call_telling(const DiskActivity& activity, const JobProgress& progress, std::uint64_t began_ns);

/// The kind of a call that took this long, given the earlier calls; it is then one of them. A read that continues the last one may still have to bring the head back. Pure.
CallKind kind_told(JobProgress* progress, CallKind kind, std::uint64_t took_ns);

/// The knowledge after one more interval, about the progress and about others. Pure.
void judge_interval(const ProgressInterval& interval, JobProgress* progress, DiskActivity* activity,
                    std::uint64_t now_ns);

}  // namespace discnice::policy
