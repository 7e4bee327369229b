// SPDX-License-Identifier: MIT
// write_steps: how much a job that gives way sends to a disk at once, and how many bytes of small files it leaves to be sent together.
//
// MB of files of 4 KB take 0.13 s, 8 MB 0.19 s and 16 MB 0.29 s, because the file system also writes its inodes, folders and journal, all over the
// disk. A foreground that comes in that moment waits for all of this. While an archive of 80,000 files was unpacked, a long read took 1.09,
// 1.06, 1.12 and 1.20 times as long with 4, 8, 12 and 16 steps, and a program's start 1.09, 1.11, 1.09 and 1.08 times. The steps make the job
// slower: with these steps the job brings 20,000 files to the disk at about 60, 75, 88 and 90 % of its speed.
#pragma once

#include <cstdint>

#include "tools/discnice/contract/grant.hpp"
#include "tools/discnice/policy/lanes.hpp"

namespace discnice::policy {

inline constexpr std::uint64_t kWriteStepsPerSecond = 100;           // so a step takes 10 ms
inline constexpr std::uint64_t kWriteStepBytes = UINT64_C(1) << 20;  // while the disk's speed is not known
inline constexpr std::uint64_t kWriteStepBytesMin = 256 * 1024;
inline constexpr std::uint64_t kWriteStepBytesMax = UINT64_C(16) << 20;
/// Steps in the bytes that a rate lets a job write in a second.
inline constexpr std::uint64_t kRatedStepsPerSecond = 10;
/// Small files with the bytes of this many steps may be left to the kernel when they are closed, on a disk that others used just now. Sending
/// small files takes longer than sending the same bytes of a large file, most of all on a mechanical disk.
inline constexpr std::uint64_t kLeftStepsMin = 8;
/// One more step is allowed for each such time without others at the disk. So a foreground waits for at most about a twentieth of the time for which it did not
/// use the disk.
inline constexpr std::uint64_t kQuietPerLeftStepNs = 500'000'000;
/// More steps are of no use: with 50 steps, 80,000 files are unpacked as fast as without discnice.
inline constexpr std::uint64_t kLeftStepsMax = 50;

/// How many bytes of small files may be left when nobody else has used the disk for `quiet_ns`.
constexpr std::uint64_t left_bytes_max(std::uint64_t step_bytes, std::uint64_t quiet_ns) {
  const std::uint64_t steps = quiet_ns / kQuietPerLeftStepNs;
  if (steps < kLeftStepsMin) return kLeftStepsMin * step_bytes;
  return (steps < kLeftStepsMax ? steps : kLeftStepsMax) * step_bytes;
}

constexpr std::uint64_t clamp_write_step(std::uint64_t bytes) {
  if (bytes < kWriteStepBytesMin) return kWriteStepBytesMin;
  return bytes > kWriteStepBytesMax ? kWriteStepBytesMax : bytes;
}

/// The size of a step on a disk that writes at this speed (0: not known).
constexpr std::uint64_t write_step_bytes(std::uint64_t write_bytes_per_s) {
  return write_bytes_per_s == 0 ? kWriteStepBytes
                                : clamp_write_step(write_bytes_per_s / kWriteStepsPerSecond);
}

/// The rate that limits the writes of a job; 0: no limit.
constexpr std::uint64_t write_rate(const Grant& grant) {
  const std::uint64_t rate = grant.rate_bytes_per_s;
  const std::uint64_t of_writes = grant.write_rate_bytes_per_s;
  return of_writes != 0 && (rate == 0 || of_writes < rate) ? of_writes : rate;
}

/// The size of a job's step. It follows from the job's rate. For a job that gives way it also follows from the speed at which the disk writes (0: not known).
constexpr std::uint64_t step_bytes(const Grant& grant, bool gives_way, std::uint64_t write_bytes_per_s) {
  const std::uint64_t rate = write_rate(grant);
  const std::uint64_t rated = rate == 0 ? kWriteStepBytes : clamp_write_step(rate / kRatedStepsPerSecond);
  if (!gives_way) return rated;
  const std::uint64_t step = write_step_bytes(write_bytes_per_s);
  return step < rated || !has_limit(grant) ? step : rated;
}

}  // namespace discnice::policy
