// SPDX-License-Identifier: MIT
#include "tools/discnice/policy/foreground.hpp"

#include "tools/discnice/policy/giving_way.hpp"

namespace discnice::policy {
namespace {

// The bytes that a file system may write for itself (journal, inodes) between two samples while a job writes.
constexpr std::uint64_t kOwnMetadataBytes = 64 * 1024;
constexpr std::uint64_t kKib = 1024;
// The bounds of a plausible request size: a page, and the largest request that a disk accepts.
constexpr std::uint64_t kRequestBytesMin = 4096;
constexpr std::uint64_t kRequestBytesMax = UINT64_C(4) << 20;
// The limit for charged writes that never come, because the data was removed before the kernel wrote it, or went to another device.
constexpr std::uint64_t kAwaitedMax = UINT64_C(1) << 30;
// A job whose calls take long looks at the disk rarely. One look then counts for the looks that were missed, but for no more looks than are needed to bring any
// pace down to the lowest pace.
constexpr std::uint64_t kHalvingNs = 3'000'000;
constexpr std::uint64_t kHalvingsMax = 16;

std::uint64_t smaller(std::uint64_t a, std::uint64_t b) {
  return a < b ? a : b;
}

std::uint64_t clamp(std::uint64_t value, std::uint64_t low, std::uint64_t high) {
  if (value < low) return low;
  return value > high ? high : value;
}

// Subtracts the bytes that the device has moved from the job's awaited bytes. Returns the rest, which other users have moved.
std::uint64_t take_own(std::uint64_t moved, std::uint64_t* awaited) {
  const std::uint64_t own = smaller(moved, *awaited);
  *awaited -= own;
  return moved - own;
}

// True when more reads are under way than the job can have. A disk serves a sequential stream before it seeks to another place. So the foreground
// may wait for a long time before one of its requests ends. Writes under way are no sign of others, because the kernel makes them at any time.
bool is_somebody_waiting(const DiskActivity& activity) {
  const std::uint64_t request_bytes = clamp(activity.request_bytes, kRequestBytesMin, kRequestBytesMax);
  const std::uint64_t own_requests = (activity.own_reads_awaited + request_bytes - 1) / request_bytes;
  return activity.sample.reads_in_flight > own_requests;
}

// Whether a call of this user's jobs brings data to the disk, or did so at the last look. A flush is counted when it has ended, and that may be one
// look after the call has ended.
bool is_syncing(const DiskActivity& before, DiskActivity& after) {
  const bool is_own = growth(after.own.syncs, before.own.syncs) != 0 || after.own.is_syncing != 0;
  const bool was_own = before.are_flushes_own != 0;
  after.are_flushes_own = is_own ? 1 : 0;
  return is_own || was_own;
}

// When a sending has ended, all data that was charged before it is on the disk, even if the disk's counters show fewer bytes. The number of bytes
// that the metadata of many files takes on the disk is not known.
void forget_what_was_sent(const DiskActivity& before, std::uint64_t own_writes, DiskActivity& after) {
  const std::uint64_t booked = before.syncing_written_kib * kKib + own_writes;
  const bool has_ended = before.own.is_syncing != 0 && after.own.is_syncing == 0;
  if (has_ended) after.own_writes_awaited = smaller(after.own_writes_awaited, booked);
  const bool is_under_way = before.own.is_syncing != 0 && after.own.is_syncing != 0;
  after.syncing_written_kib =
      is_under_way ? static_cast<std::uint32_t>(smaller(booked / kKib + 1, UINT32_MAX)) : 0;
}

// Whether other users have used the disk, and whether they have written.
struct Others {
  bool are_there;
  bool have_written;
};

Others look_for_others(const DiskActivity& before, DiskActivity& after) {
  // A sum over all jobs cannot be compared with a sum over this job alone.
  const OwnTraffic& own_before =
      after.own.is_of_all_jobs == before.own.is_of_all_jobs ? before.own : after.own;
  const std::uint64_t own_reads = growth(after.own.read_bytes, own_before.read_bytes);
  const std::uint64_t own_writes = growth(after.own.written_bytes, own_before.written_bytes);
  after.own_reads_awaited = smaller(before.own_reads_awaited + own_reads, kAwaitedMax);
  after.own_writes_awaited = smaller(before.own_writes_awaited + own_writes, kAwaitedMax);
  const std::uint64_t reads =
      take_own(growth(after.sample.read_bytes, before.sample.read_bytes), &after.own_reads_awaited);
  const std::uint64_t writes =
      take_own(growth(after.sample.written_bytes, before.sample.written_bytes), &after.own_writes_awaited);
  forget_what_was_sent(before, own_writes, after);
  // No read is under way and no new read was charged, so the reads that are still awaited went to another disk, or to no disk.
  if (after.sample.reads_in_flight == 0 && own_reads == 0) after.own_reads_awaited = 0;
  const std::uint64_t allowance = after.own.written_bytes != 0 ? kOwnMetadataBytes : 0;
  // During a call of this user's jobs that brings data to the disk, the writes and flushes of the disk, with the journal, belong to these jobs.
  // At other times a flush means that another program waits for an fsync. A journal's own commit, every few seconds, is taken for such an
  // fsync.
  const bool is_own = is_syncing(before, after);
  const bool has_flushed = growth(after.sample.flushes, before.sample.flushes) != 0;
  const bool has_somebody_written = !is_own && (writes > allowance || has_flushed);
  return {reads != 0 || has_somebody_written || is_somebody_waiting(after), has_somebody_written};
}

// The mean time of the reads between the two samples. The foreground has to wait for about this time.
std::uint64_t latency_ns(const DiskActivity& before, const DiskActivity& after) {
  const std::uint64_t reads = growth(after.sample.reads, before.sample.reads);
  if (reads == 0) return 0;
  return growth(after.sample.read_ms, before.sample.read_ms) * 1'000'000 / reads;
}

// A program that writes and waits for its fsync is noticed only when the flush has ended. So the next fsync may have been under way for a long
// time before the job notices it: up to the duration of the last fsync plus the pause before that fsync.
std::uint64_t beside_writer_ns(const DiskActivity& before, const DiskActivity& after, std::uint64_t now_ns) {
  const std::uint64_t least_ns = preemption_max_ns(after, kPreemptionMaxNs);
  const std::uint64_t most_ns = preemption_max_ns(after, kPreemptionBesideWriterMaxNs);
  const std::uint64_t since_ns = growth(now_ns, before.foreground_at_ns);
  if (before.foreground_at_ns == 0 || since_ns > most_ns) return least_ns;
  return clamp(since_ns + since_ns / 2, least_ns, most_ns);
}

unsigned halvings(const DiskActivity& before, std::uint64_t now_ns) {
  return static_cast<unsigned>(clamp(growth(now_ns, before.sampled_at_ns) / kHalvingNs, 1, kHalvingsMax));
}

// Learns how large the requests are while all of them are the job's.
void learn_request_bytes(const DiskActivity& before, DiskActivity& after) {
  const std::uint64_t reads = growth(after.sample.reads, before.sample.reads);
  if (reads == 0) return;
  const std::uint64_t mean = growth(after.sample.read_bytes, before.sample.read_bytes) / reads;
  after.request_bytes = before.request_bytes == 0 ? mean : (3 * before.request_bytes + mean) / 4;
}

}  // namespace

DiskActivity observe(const DiskActivity& before, const DiskSample& sample, const OwnTraffic& own,
                     const Grant& grant, std::uint64_t now_ns) {
  DiskActivity after = before;
  after.sampled_at_ns = now_ns;
  after.sample = sample;
  after.own = own;
  if (before.sampled_at_ns == 0 || before.sampled_at_ns > now_ns || before.foreground_at_ns > now_ns) {
    // There is no earlier sample to compare with, so only a request that is under way can be a sign of another user.
    begin_watching(after, grant, sample.in_flight != 0, now_ns);
    after.own_reads_awaited = after.own_writes_awaited = 0;
    return after;
  }
  const Others others = look_for_others(before, after);
  if (!others.are_there) learn_random_read(before, after);
  learn_waits(before, after, grant);
  follow_base(before, after, grant);
  if (others.are_there) {
    const std::uint64_t preemption_min_ns = others.have_written ? beside_writer_ns(before, after, now_ns) : 0;
    give_way(before, after, {latency_ns(before, after), halvings(before, now_ns), preemption_min_ns}, grant,
             now_ns);
  } else {
    learn_request_bytes(before, after);
    come_back(before, after, grant, now_ns);
  }
  return after;
}

}  // namespace discnice::policy
