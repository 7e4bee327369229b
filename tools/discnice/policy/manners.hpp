// SPDX-License-Identifier: MIT
// manners: gives way to others, judged by the job's own progress (Douceur & Bolosky, "Progress-based regulation of low-importance processes", SOSP 1999). It is
// used where the traffic of other users cannot be counted: network file systems, file systems in user space, volumes over several disks, containers.
//
// Knowledge assumed: programs that share a disk slow each other down. A mechanical disk alone takes about kAccessUs for an access and kKibUs for each
//   KiB that follows. On a disk that is no slower than this, the job never gives way, even if the disk was faster before (a server's cache, an SSD).
// Output observed: how long the job's own calls that needed a disk took, by kind and size, over intervals of some milliseconds of waiting.
// Inference drawn: for each kind a regression over the size tells how long the calls of an interval take at the job's own best. An interval that took
//   more than a third longer counts as a minus. A paired sign test over the last intervals tells competition from chance. When the test finds
//   competition, the job is suspended. Then a probe runs for one interval: a minus doubles the suspension, and some good intervals end it. Slow
//   intervals change the expectation only a little, so that competition is not learned. But they do change it, so that the job adapts to a disk that
//   became permanently slower.
// What breaks it: a disk may serve a sequential stream of the job first. Then the job hardly notices the others. The effect of a foreground that ran
//   during all calls of the job is taken for the speed of the disk. The job disturbs a foreground before it notices the foreground. Two jobs that do
//   not know each other take each other for foreground: one job runs, and the other job waits. A foreground that only writes is seen only when the
//   job's own calls wait for it.
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

/// On some file systems only the size of a step limits what the kernel can flush in one burst. There a job's writes are brought to the disk in steps
/// that take the disk about this time, and that are within these sizes.
inline constexpr std::uint64_t kFlushNs = 96'000'000;
inline constexpr std::uint64_t kFlushBytesMin = UINT64_C(1) << 20;
inline constexpr std::uint64_t kFlushBytesMax = UINT64_C(16) << 20;

/// The size of such a step, from the speed of the steps before it. Pure.
std::uint64_t flush_bytes(const JobProgress& progress);

/// How others are noticed under this grant, on a disk on which `possible` is the best means. Pure.
SeenBy observed_by(SeenBy possible, const Grant& grant);

/// Whether the interval has enough calls to judge by. Pure.
bool is_interval_full(const JobProgress& progress, const ProgressInterval& interval);

/// Whether a call that began at `began_ns` is evidence of others. A call that began during a suspension is not. Pure.
bool is_call_telling(const DiskActivity& activity, const JobProgress& progress, std::uint64_t began_ns);

/// The kind of a call that took this time, given the calls before it. Notes the call in `progress`. A read that continues a stream may first have to wait for a
/// seek. Pure.
CallKind kind_told(JobProgress* progress, CallKind kind, std::uint64_t took_ns);

/// Returns what is known of the job's progress and of others after one more interval. Pure.
void judge_interval(const ProgressInterval& interval, JobProgress* progress, DiskActivity* activity,
                    std::uint64_t now_ns);

}  // namespace discnice::policy
