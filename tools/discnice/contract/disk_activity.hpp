// SPDX-License-Identifier: MIT
// disk_activity: what is known of the other users of a disk. Plain values. policy/foreground.hpp, policy/pressure.hpp and policy/manners.hpp make them.
#pragma once

#include <cstdint>

namespace discnice {

/// The counters of a block device, as /sys/block/DEVICE/stat shows them. Of the numbers and times of requests the last 32 bits are kept. The object lies in
/// shared memory.
struct DiskSample {
  std::uint64_t read_bytes = 0;
  std::uint64_t written_bytes = 0;
  std::uint32_t reads = 0;
  std::uint32_t read_ms = 0;  // the sum over the requests
  std::uint32_t writes = 0;
  std::uint32_t write_ms = 0;
  std::uint32_t flushes = 0;  // of the disk's own cache: the end of an fsync, and of a journal's commit
  std::uint32_t flush_ms = 0;
  std::uint32_t in_flight = 0;
  std::uint32_t reads_in_flight = 0;  // the reads among them
};

/// The bytes that the job itself was charged for on the device, in total. A prediction counts from the moment at which its
/// operation may start.
struct OwnTraffic {
  std::uint64_t read_bytes = 0;
  std::uint64_t written_bytes = 0;
  std::uint16_t is_of_all_jobs = 0;  // 1: of all jobs of this user; 0: of this job alone
  std::uint16_t is_syncing =
      0;  // 1: the launcher is just now sending to the disk the data that the job left to the kernel
  std::uint32_t syncs = 0;  // beginnings and ends of calls that bring data to the disk; the last 32 bits
};

/// The means by which a job notices other users of a disk. New values go to the end, because the value lies in shared memory.
enum class SeenBy : std::uint64_t { untested, counters, pressure, none, progress };

/// The total time in which at least one task on this host waited for a disk, and the part of this time in which only this job's
/// members may have waited.
struct PressureSample {
  std::uint64_t stalled_ns = 0;
  std::uint64_t own_stalled_ns = 0;
};

/// What is known of a disk's foreground after some samples. It consists of words only, because it lies in shared memory.
struct DiskActivity {
  std::uint64_t sampled_at_ns = 0;  // 0: never
  DiskSample sample;
  OwnTraffic own;                       // at the sample
  std::uint64_t own_reads_awaited = 0;  // charged, and not yet seen at the device
  std::uint64_t own_writes_awaited = 0;
  std::uint64_t foreground_at_ns = 0;  // when others were last seen at the disk; 0: never
  std::uint64_t preemption_ns = 0;     // how long the disk must be quiet before the job takes it for idle
  std::uint64_t pace_bytes_per_s = 0;  // of `nice`
  std::uint64_t request_bytes = 0;     // the usual size of a request while the job has the disk for itself
  std::uint64_t ran_since_ns = 0;  // when the job first ran after the foreground's last request; 0: not yet
  PressureSample pressure;         // at the sample, for a disk that is judged by pressure
  std::uint64_t listen_until_ns =
      0;  // until then the job pauses, so that it notices other users; 0: the job does not pause
  std::uint64_t listened_at_ns = 0;       // when the job last began to keep still
  std::uint16_t is_unsettled = 0;         // 1: the job itself did something before the sample
  std::uint16_t are_flushes_own = 0;      // 1: a flush that ends now may come from a call of this user's jobs
  std::uint32_t syncing_written_kib = 0;  // charged since own.is_syncing became 1
  std::uint64_t random_read_ns =
      0;  // the base of the interval: measured, or learned from the job's own reads; 0: neither
  // The time that a small read, a write, and a flush of the disk's cache take on this disk, by most samples. 0 means not
  // measured yet.
  std::uint32_t read_wait_us = 0;
  std::uint32_t write_wait_us = 0;
  std::uint32_t flush_wait_us = 0;
  std::uint32_t read_wait_looks = 0;  // the number of looks in read_wait_us, while it is small
};

}  // namespace discnice
