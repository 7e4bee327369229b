// SPDX-License-Identifier: MIT
// disk_words: what a job knows of the other users of a disk, in the form of the segment.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstring>

#include "tools/discnice/contract/disk_activity.hpp"
#include "tools/discnice/protocol/layout.hpp"

namespace discnice::protocol {

/// No policy stops a job for longer to look who waits, or waits longer for a disk to be quiet. A larger value is a wrong byte.
inline constexpr std::uint64_t kSilenceMaxNs = 4'000'000'000;

/// Reads the possible values. An impossible value counts as unknown. The remaining numbers are only compared and counted down, so wrong ones do no harm.
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

/// If two members look, one of them very late, their words may be mixed. That makes one look wrong, and the next look corrects it.
inline void store_activity(Disk& disk, const DiskActivity& activity) {
  std::uint64_t words[kActivityWords] = {};
  std::memcpy(words, &activity, sizeof activity);
  for (unsigned i = 0; i < kActivityWords; ++i) disk.activity[i].store(words[i], std::memory_order_relaxed);
}

/// For how long no others were seen at the disk, as far as the job can know. It is never longer than the job exists.
inline std::uint64_t quiet_ns(const Segment& segment, const Disk& disk, std::uint64_t now_ns) {
  const std::uint64_t foreground_at_ns = load_activity(disk, now_ns).foreground_at_ns;
  const std::uint64_t since_ns =
      foreground_at_ns > segment.created_ns ? foreground_at_ns : segment.created_ns;
  return since_ns < now_ns ? now_ns - since_ns : 0;
}

/// The means by which others are seen there. A number without a meaning belongs to a disk that was not looked at yet.
inline SeenBy load_seen_by(const Disk& disk) {
  const SeenBy seen_by = disk.seen_by.load(std::memory_order_relaxed);
  return seen_by <= SeenBy::progress ? seen_by : SeenBy::untested;
}

}  // namespace discnice::protocol
