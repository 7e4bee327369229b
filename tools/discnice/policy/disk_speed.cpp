// SPDX-License-Identifier: MIT
#include "tools/discnice/policy/disk_speed.hpp"

namespace discnice::policy {
namespace {

// The bounds of a learned time. Counters that show times beyond these bounds are wrong.
constexpr std::uint64_t kLearnedMinNs = 50'000;
constexpr std::uint64_t kLearnedMaxNs = 50'000'000;
constexpr std::uint64_t kRequestMaxMs = 1000;
constexpr std::uint64_t kMillisecondNs = 1'000'000;
constexpr std::uint64_t kMicrosecondNs = 1000;
// Larger requests belong to a stream. More reads than kReadsAtOnceMax in one look count as kReadsAtOnceMax.
constexpr std::uint64_t kRandomRequestBytesMax = 32 * 1024;
constexpr std::uint64_t kReadsAtOnceMax = 32;
// After this many reads the learned time is near the disk's time.
constexpr std::uint64_t kReadsToLearn = 128;
// A look moves the known time towards the seen time: by 1/up of the difference when the seen time is longer, and by 1/down when it is shorter. Each of the
// first looks at reads has the same weight as all looks before it. A card writes small amounts fast and large amounts slowly. With `up` = 16 for writes, a
// program's start took up to six times as long while rsync wrote to a card under `idle`.
struct Steps {
  std::uint64_t up;
  std::uint64_t down;
};
constexpr Steps kReadSteps = {4, 16};
constexpr Steps kWriteSteps = {2, 64};

constexpr std::uint64_t smaller(std::uint64_t a, std::uint64_t b) {
  return a < b ? a : b;
}

constexpr std::uint64_t larger(std::uint64_t a, std::uint64_t b) {
  return a > b ? a : b;
}

constexpr std::uint64_t learnable(std::uint64_t ns) {
  return larger(kLearnedMinNs, smaller(ns, kLearnedMaxNs));
}

// The mean time of the requests.
std::uint64_t mean_ns(std::uint64_t took_ms, std::uint64_t requests) {
  return smaller(took_ms, requests * kRequestMaxMs) * kMillisecondNs / requests;
}

// Whether the reads are so large that the head of a stream need not move between them.
bool are_reads_of_stream(const DiskActivity& before, const DiskActivity& after, std::uint64_t reads) {
  return growth(after.sample.read_bytes, before.sample.read_bytes) / reads > kRandomRequestBytesMax;
}

// The known time after one more look. `looks` is the number of earlier looks.
std::uint32_t nearer(std::uint64_t known_us, std::uint64_t seen_ns, const Steps& steps, std::uint64_t looks) {
  const std::uint64_t seen_us = learnable(seen_ns) / kMicrosecondNs;
  const std::uint64_t parts = smaller(looks + 2, seen_us > known_us ? steps.up : steps.down);
  const std::uint64_t most_us = kLearnedMaxNs / kMicrosecondNs;
  return static_cast<std::uint32_t>((smaller(known_us, most_us) * (parts - 1) + seen_us) / parts);
}

// The known time of writes or of flushes after one more look. There may have been no such request yet.
std::uint32_t after_look(std::uint32_t known_us, std::uint64_t took_ms, std::uint64_t requests) {
  if (requests == 0) return known_us;
  const std::uint64_t seen_ns = mean_ns(took_ms, requests);
  return known_us == 0 ? static_cast<std::uint32_t>(learnable(seen_ns) / kMicrosecondNs)
                       : nearer(known_us, seen_ns, kWriteSteps, kWriteSteps.down);
}

}  // namespace

void learn_random_read(const DiskActivity& before, DiskActivity& after) {
  const std::uint64_t reads = growth(after.sample.reads, before.sample.reads);
  if (reads == 0 || are_reads_of_stream(before, after, reads)) return;
  const std::uint64_t seen_ns = mean_ns(growth(after.sample.read_ms, before.sample.read_ms), reads);
  const std::uint64_t weight = smaller(reads, kReadsAtOnceMax);
  after.random_read_ns =
      learnable((random_read_ns(before) * (kReadsToLearn - weight) + seen_ns * weight) / kReadsToLearn);
}

void learn_waits(const DiskActivity& before, DiskActivity& after, const Grant& grant) {
  const DiskSample& now = after.sample;
  const DiskSample& then = before.sample;
  after.write_wait_us =
      after_look(before.write_wait_us, growth(now.write_ms, then.write_ms), growth(now.writes, then.writes));
  after.flush_wait_us = after_look(before.flush_wait_us, growth(now.flush_ms, then.flush_ms),
                                   growth(now.flushes, then.flushes));
  const std::uint64_t reads = growth(now.reads, then.reads);
  if (reads == 0 || are_reads_of_stream(before, after, reads)) return;
  const std::uint64_t begun_ns = grant.random_read_ns != 0 ? learnable(grant.random_read_ns) : kRandomReadNs;
  const std::uint64_t known_us = before.read_wait_us != 0 ? before.read_wait_us : begun_ns / kMicrosecondNs;
  const std::uint64_t seen_ns = mean_ns(growth(now.read_ms, then.read_ms), reads);
  after.read_wait_us = nearer(known_us, seen_ns, kReadSteps, before.read_wait_looks);
  after.read_wait_looks =
      static_cast<std::uint32_t>(smaller(before.read_wait_looks + UINT64_C(1), kReadSteps.down));
}

std::uint64_t on_this_disk(const DiskActivity& activity, std::uint64_t mechanical_ns) {
  constexpr std::uint64_t kMechanicalUs = kRandomReadNs / kMicrosecondNs;
  const std::uint64_t read_us = activity.read_wait_us != 0 ? activity.read_wait_us : kMechanicalUs;
  // The job's own writes may be slow, and that is not known before a write has ended.
  const bool is_write_unknown = activity.own.written_bytes != 0 && activity.write_wait_us == 0;
  const std::uint64_t write_us = is_write_unknown ? kMechanicalUs : activity.write_wait_us;
  const std::uint64_t wait_us = larger(read_us, larger(write_us, activity.flush_wait_us));
  if (wait_us >= kMechanicalUs) return mechanical_ns;
  return mechanical_ns / kMechanicalUs * larger(wait_us, kLearnedMinNs / kMicrosecondNs);
}

}  // namespace discnice::policy
