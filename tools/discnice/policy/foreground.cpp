// SPDX-License-Identifier: MIT
#include "tools/discnice/policy/foreground.hpp"

namespace discnice::policy {
namespace {

constexpr std::uint64_t kSectorBytes = 512;  // of the stat file, whatever the device's own is
constexpr unsigned kFields = 9;              // the ones we read; newer kernels append more
constexpr std::uint64_t kSecondNs = 1'000'000'000;
// Without a measured time: a turn and a seek of an ordinary mechanical disk.
constexpr std::uint64_t kRandomReadNs = 8'000'000;
// What a file system may write on its own account beside a job that writes (journal, inodes), between two samples.
constexpr std::uint64_t kOwnMetadataBytes = 64 * 1024;
// A foreground that comes back within this time of our taking over had only paused.
constexpr std::uint64_t kPauseMaxNs = kSecondNs;
// So long without foreground, and the disk is ours.
constexpr std::uint64_t kQuietNs = kSecondNs;
// The pace from which backing off starts, and what a quiet second adds.
constexpr std::uint64_t kPaceStart = 256'000'000;
constexpr std::uint64_t kPaceGain = 200'000'000;
// The size of requests we believe in: a page, or the most a disk takes at once.
constexpr std::uint64_t kRequestBytesMin = 4096;
constexpr std::uint64_t kRequestBytesMax = UINT64_C(4) << 20;
// Booked writes that never came: removed in time, or another device's.
constexpr std::uint64_t kAwaitedMax = UINT64_C(1) << 30;

std::uint64_t growth(std::uint64_t now, std::uint64_t before) {
  return now > before ? now - before : 0;
}

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

// Takes what the device has moved off what is awaited; returns the rest, which is somebody else's.
std::uint64_t take_own(std::uint64_t moved, std::uint64_t* awaited) {
  const std::uint64_t own = smaller(moved, *awaited);
  *awaited -= own;
  return moved - own;
}

// More requests are under way than ours can be. A disk serves a stream that goes straight on before it seeks to another, so the
// foreground may be waiting long before a request of its has ended.
bool is_somebody_waiting(const DiskActivity& activity) {
  if (activity.own_writes_awaited > kOwnMetadataBytes)
    return false;  // they are written when the kernel likes
  const std::uint64_t request_bytes = clamp(activity.request_bytes, kRequestBytesMin, kRequestBytesMax);
  const std::uint64_t own_requests = (activity.own_reads_awaited + request_bytes - 1) / request_bytes;
  return activity.sample.in_flight > own_requests;
}

bool is_foreground(const DiskActivity& before, DiskActivity& after) {
  const std::uint64_t own_reads = growth(after.own.read_bytes, before.own.read_bytes);
  const std::uint64_t own_writes = growth(after.own.written_bytes, before.own.written_bytes);
  after.own_reads_awaited = smaller(before.own_reads_awaited + own_reads, kAwaitedMax);
  after.own_writes_awaited = smaller(before.own_writes_awaited + own_writes, kAwaitedMax);
  const std::uint64_t reads =
      take_own(growth(after.sample.read_bytes, before.sample.read_bytes), &after.own_reads_awaited);
  const std::uint64_t writes =
      take_own(growth(after.sample.written_bytes, before.sample.written_bytes), &after.own_writes_awaited);
  // Nothing is under way and nothing new was booked: what is still awaited went elsewhere or nowhere.
  if (after.sample.in_flight == 0 && own_reads == 0) after.own_reads_awaited = 0;
  const std::uint64_t allowance = after.own.written_bytes != 0 ? kOwnMetadataBytes : 0;
  return reads != 0 || writes > allowance || is_somebody_waiting(after);
}

// The mean time of the requests in between, as the foreground feels it.
std::uint64_t latency_ns(const DiskActivity& before, const DiskActivity& after) {
  const std::uint64_t reads = growth(after.sample.reads, before.sample.reads);
  if (reads == 0) return 0;
  return growth(after.sample.read_ms, before.sample.read_ms) * 1'000'000 / reads;
}

void give_way(const DiskActivity& before, DiskActivity& after, const Grant& grant, std::uint64_t now_ns) {
  const std::uint64_t base_ns = base_preemption_ns(grant);
  const bool had_paused = before.ran_since_ns != 0 && growth(now_ns, before.ran_since_ns) < kPauseMaxNs;
  if (grant.preemption_ns == 0) {
    const std::uint64_t wanted_ns = 2 * latency_ns(before, after);
    if (had_paused) after.preemption_ns += base_ns / 2;
    if (before.ran_since_ns == 0 && wanted_ns > after.preemption_ns) after.preemption_ns += base_ns / 4;
  }
  after.foreground_at_ns = now_ns;
  after.ran_since_ns = 0;
  after.pace_bytes_per_s = clamp(smaller(before.pace_bytes_per_s, kPaceStart) / 2, kPaceMin, kPaceStart);
}

// How large requests are when all of them are ours.
void learn_request_bytes(const DiskActivity& before, DiskActivity& after) {
  const std::uint64_t reads = growth(after.sample.reads, before.sample.reads);
  if (reads == 0) return;
  const std::uint64_t mean = growth(after.sample.read_bytes, before.sample.read_bytes) / reads;
  after.request_bytes = before.request_bytes == 0 ? mean : (3 * before.request_bytes + mean) / 4;
}

void come_back(const DiskActivity& before, DiskActivity& after, const Grant& grant, std::uint64_t now_ns) {
  learn_request_bytes(before, after);
  const std::uint64_t passed_ns = smaller(growth(now_ns, before.sampled_at_ns), kSecondNs);
  const bool has_run = growth(after.own.read_bytes, before.own.read_bytes) != 0 ||
                       growth(after.own.written_bytes, before.own.written_bytes) != 0;
  const bool is_ours = growth(now_ns, before.foreground_at_ns) >= before.preemption_ns;
  if (before.ran_since_ns == 0 && has_run && is_ours) after.ran_since_ns = now_ns;
  if (growth(now_ns, before.foreground_at_ns) < kQuietNs) {
    after.pace_bytes_per_s =
        smaller(before.pace_bytes_per_s + passed_ns / 1000 * (kPaceGain / 1'000'000), kPaceUnlimited);
    return;
  }
  after.pace_bytes_per_s = kPaceUnlimited;
  const std::uint64_t base_ns = base_preemption_ns(grant);
  const std::uint64_t less_ns = base_ns / 2 * passed_ns / kSecondNs;
  after.preemption_ns = after.preemption_ns > base_ns + less_ns ? after.preemption_ns - less_ns : base_ns;
}

}  // namespace

bool parse_disk_sample(const char* text, std::size_t length, DiskSample* sample) {
  std::uint64_t field[kFields] = {};
  unsigned count = 0;
  bool is_in_number = false;
  for (std::size_t i = 0; i < length && count < kFields; ++i) {
    const bool is_digit = text[i] >= '0' && text[i] <= '9';
    if (is_digit) {
      field[count] = field[count] * 10 + static_cast<std::uint64_t>(text[i] - '0');
    } else if (text[i] != ' ' && text[i] != '\n') {
      return false;
    }
    if (is_in_number && !is_digit) ++count;
    is_in_number = is_digit;
  }
  if (count < kFields) return false;
  *sample = {field[0], field[2] * kSectorBytes, field[3], field[4], field[6] * kSectorBytes, field[8]};
  return true;
}

DiskActivity observe(const DiskActivity& before, const DiskSample& sample, const OwnTraffic& own,
                     const Grant& grant, std::uint64_t now_ns) {
  DiskActivity after = before;
  after.sampled_at_ns = now_ns;
  after.sample = sample;
  after.own = own;
  const std::uint64_t base_ns = base_preemption_ns(grant);
  if (before.sampled_at_ns == 0 || before.sampled_at_ns > now_ns || before.foreground_at_ns > now_ns) {
    // Nothing to compare with: only a request under way tells of somebody.
    after.foreground_at_ns = sample.in_flight != 0 ? now_ns : 0;
    after.pace_bytes_per_s = sample.in_flight != 0 ? kPaceMin : kPaceUnlimited;
    after.preemption_ns = base_ns;
    after.own_reads_awaited = after.own_writes_awaited = after.ran_since_ns = 0;
    return after;
  }
  if (grant.preemption_ns != 0) after.preemption_ns = base_ns;
  if (is_foreground(before, after)) {
    give_way(before, after, grant, now_ns);
  } else {
    come_back(before, after, grant, now_ns);
  }
  after.preemption_ns = clamp(after.preemption_ns, grant.preemption_ns != 0 ? 1 : kPreemptionMinNs,
                              grant.preemption_ns != 0 ? kSecondNs : kPreemptionMaxNs);
  return after;
}

}  // namespace discnice::policy
