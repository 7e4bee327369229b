// SPDX-License-Identifier: MIT
// write_steps: how much a job that gives way sends to a disk at once, and how much of small files it leaves to be sent together.
//
// A foreground that comes while a step is under way waits for that step. One that comes while the small files' data is being sent waits for that, once. Both
// bounds are times; the bytes follow from the speed at which the disk was seen to write.
#pragma once

#include <cstdint>

namespace discnice::policy {

inline constexpr std::uint64_t kWriteStepsPerSecond = 100;           // so a step is felt for 10 ms
inline constexpr std::uint64_t kWriteStepBytes = UINT64_C(1) << 20;  // before the disk's speed is known
inline constexpr std::uint64_t kWriteStepBytesMin = 256 * 1024;
inline constexpr std::uint64_t kWriteStepBytesMax = UINT64_C(16) << 20;
/// So many steps' worth of small files may be left to the kernel when they are closed. Sending them takes longer than their bytes do: on a mechanical disk
/// 16 MB of files of 4 KB took 0.35 s, for the file system also writes its i-nodes, folders and journal, all over the disk. A foreground that comes in that
/// moment waits for all of it. Beside an archive that is unpacked, 16 steps made a long read take 1.36 times as long and a program's start 1.3 times; with 4
/// these are 1.19 and 1.1. The price is paid by the job: alone, it unpacks at 63 % of its speed, and with 16 steps at 84 %.
inline constexpr std::uint64_t kLeftSteps = 4;

constexpr std::uint64_t clamp_write_step(std::uint64_t bytes) {
  if (bytes < kWriteStepBytesMin) return kWriteStepBytesMin;
  return bytes > kWriteStepBytesMax ? kWriteStepBytesMax : bytes;
}

/// A step on a disk that writes so fast; 0: not known.
constexpr std::uint64_t write_step_bytes(std::uint64_t write_bytes_per_s) {
  return write_bytes_per_s == 0 ? kWriteStepBytes
                                : clamp_write_step(write_bytes_per_s / kWriteStepsPerSecond);
}

}  // namespace discnice::policy
