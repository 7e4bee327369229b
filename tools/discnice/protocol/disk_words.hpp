// SPDX-License-Identifier: MIT
// disk_words: the words in the segment that say what a job knows of the other users of a disk.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstring>

#include "tools/discnice/contract/disk_activity.hpp"
#include "tools/discnice/protocol/layout.hpp"

namespace discnice::protocol {

/// No job keeps still to listen, or waits for a disk to be quiet, for longer than this. A longer time means damaged shared memory.
inline constexpr std::uint64_t kSilenceMaxNs = 4'000'000'000;

/// The activity with impossible values replaced by "not known". The other numbers are only compared and decremented,
/// so any value is harmless.
inline DiskActivity possible(DiskActivity activity, std::uint64_t now_ns) {
  if (activity.sampled_at_ns > now_ns) return {};
  for (std::uint64_t* instant_ns :
       {&activity.foreground_at_ns, &activity.ran_since_ns, &activity.listened_at_ns}) {
    if (*instant_ns > now_ns) *instant_ns = 0;
  }
  for (std::uint64_t* duration_ns : {&activity.preemption_ns, &activity.random_read_ns}) {
    if (*duration_ns > kSilenceMaxNs) *duration_ns = kSilenceMaxNs;
  }
  if (activity.listen_until_ns > now_ns && activity.listen_until_ns - now_ns > kSilenceMaxNs)
    activity.listen_until_ns = 0;
  return activity;
}

inline DiskActivity load_activity(const Disk& disk, std::uint64_t now_ns) {
  std::uint64_t words[kActivityWords] = {};
  for (unsigned i = 0; i < kActivityWords; ++i) words[i] = disk.activity[i].load(std::memory_order_relaxed);
  DiskActivity activity;
  std::memcpy(&activity, words, sizeof activity);
  return possible(activity, now_ns);
}

/// Two members may store a reading at the same time, because one of them is very late. Then their words may be mixed. This causes one wrong
/// result, and the next reading corrects the result.
inline void store_activity(Disk& disk, const DiskActivity& activity) {
  std::uint64_t words[kActivityWords] = {};
  std::memcpy(words, &activity, sizeof activity);
  for (unsigned i = 0; i < kActivityWords; ++i) disk.activity[i].store(words[i], std::memory_order_relaxed);
}

/// How long nobody else was seen at the disk, as far as the job can know: at most as long as the job exists.
inline std::uint64_t quiet_ns(const Segment& segment, const Disk& disk, std::uint64_t now_ns) {
  const std::uint64_t foreground_at_ns = load_activity(disk, now_ns).foreground_at_ns;
  const std::uint64_t since_ns =
      foreground_at_ns > segment.created_ns ? foreground_at_ns : segment.created_ns;
  return since_ns < now_ns ? now_ns - since_ns : 0;
}

/// How others are noticed on that disk. An unknown value counts as "not looked at yet".
inline SeenBy load_seen_by(const Disk& disk) {
  const SeenBy seen_by = disk.seen_by.load(std::memory_order_relaxed);
  return seen_by <= SeenBy::progress ? seen_by : SeenBy::untested;
}

}  // namespace discnice::protocol
