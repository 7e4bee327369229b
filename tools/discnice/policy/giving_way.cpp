// SPDX-License-Identifier: MIT
#include "tools/discnice/policy/giving_way.hpp"

namespace discnice::policy {
namespace {

constexpr std::uint64_t kSecondNs = 1'000'000'000;
// A foreground that comes back within this time after the job took over the disk had only paused.
constexpr std::uint64_t kPauseMaxNs = kSecondNs;
// After this time without foreground the job has the disk for itself.
constexpr std::uint64_t kQuietNs = kSecondNs;
// On a mechanical disk, the pace begins to grow after this time without foreground, if the preemption interval has passed, too.
constexpr std::uint64_t kPausedNs = 60'000'000;
// The pace from which backing off starts, and the growth of the pace in a quiet second. The start is below the speed of most disks, so the first
// look has an effect. With a start of 256 MB/s the job made three more requests while the foreground waited, and each request cost the foreground
// a seek.
constexpr std::uint64_t kPaceStart = 32'000'000;
constexpr std::uint64_t kPaceGain = 1'000'000'000;

std::uint64_t smaller(std::uint64_t a, std::uint64_t b) {
  return a < b ? a : b;
}

std::uint64_t clamp(std::uint64_t value, std::uint64_t low, std::uint64_t high) {
  if (value < low) return low;
  return value > high ? high : value;
}

std::uint64_t base_preemption_ns(const Grant& grant, const DiskActivity& activity) {
  if (grant.preemption_ns != 0) return clamp(grant.preemption_ns, 1, kSecondNs);
  return clamp(2 * smaller(random_read_ns(activity), kPreemptionMaxNs), kPreemptionMinNs,
               preemption_max_ns(activity, kPreemptionMaxNs));
}

// Whether the job has moved bytes between the two looks, or its earlier writes have reached the disk.
bool has_run(const DiskActivity& before, const DiskActivity& after) {
  return growth(after.own.read_bytes, before.own.read_bytes) != 0 ||
         growth(after.own.written_bytes, before.own.written_bytes) != 0 ||
         after.own_writes_awaited < before.own_writes_awaited;
}

bool was_ours(const DiskActivity& before, std::uint64_t now_ns) {
  return growth(now_ns, before.foreground_at_ns) >= before.preemption_ns;
}

// Whether the foreground is back soon after the job had judged the disk to be idle and used it. Both may have happened since the last look.
bool had_only_paused(const DiskActivity& before, const DiskActivity& after, std::uint64_t now_ns) {
  if (before.ran_since_ns != 0) return growth(now_ns, before.ran_since_ns) < kPauseMaxNs;
  return has_run(before, after) && was_ours(before, now_ns) &&
         growth(now_ns, before.foreground_at_ns) < kPauseMaxNs;
}

void keep_in_bounds(DiskActivity& after, const Grant& grant) {
  after.preemption_ns = grant.preemption_ns != 0
                            ? base_preemption_ns(grant, after)
                            : clamp(after.preemption_ns, kPreemptionMinNs,
                                    preemption_max_ns(after, kPreemptionBesideWriterMaxNs));
}

}  // namespace

void begin_watching(DiskActivity& after, const Grant& grant, bool is_busy, std::uint64_t now_ns) {
  after.foreground_at_ns = is_busy ? now_ns : 0;
  after.pace_bytes_per_s = is_busy ? kPaceMin : kPaceUnlimited;
  if (grant.random_read_ns != 0) after.random_read_ns = grant.random_read_ns;
  after.preemption_ns = base_preemption_ns(grant, after);
  after.ran_since_ns = 0;
}

void give_way(const DiskActivity& before, DiskActivity& after, const Sighting& sighting, const Grant& grant,
              std::uint64_t now_ns) {
  const std::uint64_t base_ns = base_preemption_ns(grant, after);
  const std::uint64_t max_ns = preemption_max_ns(after, kPreemptionMaxNs);
  std::uint64_t longer_ns = after.preemption_ns;
  if (had_only_paused(before, after, now_ns)) longer_ns += longer_ns;
  if (before.ran_since_ns == 0 && 2 * sighting.latency_ns > longer_ns) longer_ns += base_ns / 4;
  if (after.preemption_ns < max_ns) after.preemption_ns = smaller(longer_ns, max_ns);
  if (after.preemption_ns < sighting.preemption_min_ns) after.preemption_ns = sighting.preemption_min_ns;
  after.foreground_at_ns = now_ns;
  after.ran_since_ns = 0;
  after.pace_bytes_per_s =
      clamp(smaller(before.pace_bytes_per_s, kPaceStart) >> sighting.halvings, kPaceMin, kPaceStart);
  keep_in_bounds(after, grant);
}

void come_back(const DiskActivity& before, DiskActivity& after, const Grant& grant, std::uint64_t now_ns) {
  const std::uint64_t passed_ns = smaller(growth(now_ns, before.sampled_at_ns), kSecondNs);
  if (before.ran_since_ns == 0 && has_run(before, after) && was_ours(before, now_ns))
    after.ran_since_ns = now_ns;
  if (growth(now_ns, before.foreground_at_ns) < on_this_disk(after, kPausedNs) || !was_ours(before, now_ns)) {
    // The foreground may only have paused.
  } else if (growth(now_ns, before.foreground_at_ns) < kQuietNs) {
    after.pace_bytes_per_s =
        smaller(before.pace_bytes_per_s + passed_ns / 1000 * (kPaceGain / 1'000'000), kPaceUnlimited);
  } else {
    after.pace_bytes_per_s = kPaceUnlimited;
    after.preemption_ns = smaller(after.preemption_ns, preemption_max_ns(after, kPreemptionMaxNs));
    const std::uint64_t base_ns = base_preemption_ns(grant, after);
    const std::uint64_t less_ns = base_ns / 2 * passed_ns / kSecondNs;
    after.preemption_ns = after.preemption_ns > base_ns + less_ns ? after.preemption_ns - less_ns : base_ns;
  }
  keep_in_bounds(after, grant);
}

void follow_base(const DiskActivity& before, DiskActivity& after, const Grant& grant) {
  if (grant.random_read_ns != 0) after.random_read_ns = grant.random_read_ns;
  const std::uint64_t old_ns = base_preemption_ns(grant, before);
  const std::uint64_t new_ns = base_preemption_ns(grant, after);
  after.preemption_ns = growth(after.preemption_ns + new_ns, old_ns);
  keep_in_bounds(after, grant);
}

}  // namespace discnice::policy
