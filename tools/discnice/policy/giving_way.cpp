// SPDX-License-Identifier: MIT
#include "tools/discnice/policy/giving_way.hpp"

namespace discnice::policy {
namespace {

constexpr std::uint64_t kSecondNs = 1'000'000'000;
// Without a measured time: a turn and a seek of an ordinary mechanical disk.
constexpr std::uint64_t kRandomReadNs = 8'000'000;
// A foreground that comes back within this time of our taking over had only paused.
constexpr std::uint64_t kPauseMaxNs = kSecondNs;
// So long without foreground, and the disk is ours.
constexpr std::uint64_t kQuietNs = kSecondNs;
// The pace from which backing off starts, and what a quiet second adds.
constexpr std::uint64_t kPaceStart = 256'000'000;
constexpr std::uint64_t kPaceGain = 200'000'000;

std::uint64_t smaller(std::uint64_t a, std::uint64_t b) {
  return a < b ? a : b;
}

std::uint64_t clamp(std::uint64_t value, std::uint64_t low, std::uint64_t high) {
  if (value < low) return low;
  return value > high ? high : value;
}

std::uint64_t base_preemption_ns(const Grant& grant) {
  if (grant.preemption_ns != 0) return clamp(grant.preemption_ns, 1, kSecondNs);
  const std::uint64_t read_ns = grant.random_read_ns != 0 ? grant.random_read_ns : kRandomReadNs;
  return clamp(2 * read_ns, kPreemptionMinNs, kPreemptionMaxNs);
}

void keep_in_bounds(DiskActivity& after, const Grant& grant) {
  after.preemption_ns = grant.preemption_ns != 0
                            ? base_preemption_ns(grant)
                            : clamp(after.preemption_ns, kPreemptionMinNs, kPreemptionMaxNs);
}

}  // namespace

void begin_watching(DiskActivity& after, const Grant& grant, bool is_busy, std::uint64_t now_ns) {
  after.foreground_at_ns = is_busy ? now_ns : 0;
  after.pace_bytes_per_s = is_busy ? kPaceMin : kPaceUnlimited;
  after.preemption_ns = base_preemption_ns(grant);
  after.ran_since_ns = 0;
}

void give_way(const DiskActivity& before, DiskActivity& after, const Sighting& sighting, const Grant& grant,
              std::uint64_t now_ns) {
  const std::uint64_t base_ns = base_preemption_ns(grant);
  const bool had_paused = before.ran_since_ns != 0 && growth(now_ns, before.ran_since_ns) < kPauseMaxNs;
  if (had_paused) after.preemption_ns += base_ns / 2;
  if (before.ran_since_ns == 0 && 2 * sighting.latency_ns > after.preemption_ns)
    after.preemption_ns += base_ns / 4;
  after.foreground_at_ns = now_ns;
  after.ran_since_ns = 0;
  after.pace_bytes_per_s =
      clamp(smaller(before.pace_bytes_per_s, kPaceStart) >> sighting.halvings, kPaceMin, kPaceStart);
  keep_in_bounds(after, grant);
}

void come_back(const DiskActivity& before, DiskActivity& after, const Grant& grant, std::uint64_t now_ns) {
  const std::uint64_t passed_ns = smaller(growth(now_ns, before.sampled_at_ns), kSecondNs);
  const bool has_run = growth(after.own.read_bytes, before.own.read_bytes) != 0 ||
                       growth(after.own.written_bytes, before.own.written_bytes) != 0;
  const bool is_ours = growth(now_ns, before.foreground_at_ns) >= before.preemption_ns;
  if (before.ran_since_ns == 0 && has_run && is_ours) after.ran_since_ns = now_ns;
  if (growth(now_ns, before.foreground_at_ns) < kQuietNs) {
    after.pace_bytes_per_s =
        smaller(before.pace_bytes_per_s + passed_ns / 1000 * (kPaceGain / 1'000'000), kPaceUnlimited);
  } else {
    after.pace_bytes_per_s = kPaceUnlimited;
    const std::uint64_t base_ns = base_preemption_ns(grant);
    const std::uint64_t less_ns = base_ns / 2 * passed_ns / kSecondNs;
    after.preemption_ns = after.preemption_ns > base_ns + less_ns ? after.preemption_ns - less_ns : base_ns;
  }
  keep_in_bounds(after, grant);
}

}  // namespace discnice::policy
