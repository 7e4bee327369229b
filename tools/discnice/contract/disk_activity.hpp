// SPDX-License-Identifier: MIT
// disk_activity: what is known of the other users of a disk. Plain values; policy/foreground.hpp,
// policy/pressure.hpp and policy/manners.hpp make them.
#pragma once

#include <cstdint>

namespace discnice {

/// The counters of a block device, as /sys/block/DEVICE/stat shows them, the numbers and times of requests by their last 32 bits. It lies in shared memory.
struct DiskSample {
  std::uint64_t read_bytes = 0;
  std::uint64_t written_bytes = 0;
  std::uint32_t reads = 0;
  std::uint32_t read_ms = 0;  // summed over the requests
  std::uint32_t writes = 0;
  std::uint32_t write_ms = 0;
  std::uint32_t flushes = 0;  // of the disk's own cache: what an fsync ends with, and a journal's commit
  std::uint32_t flush_ms = 0;
  std::uint32_t in_flight = 0;
  std::uint32_t reads_in_flight = 0;  // of these
};

/// The bytes that the job itself was booked as having moved on the device, in all. A prediction counts from the moment at which the operation may start.
struct OwnTraffic {
  std::uint64_t read_bytes = 0;
  std::uint64_t written_bytes = 0;
  std::uint16_t is_of_all_jobs = 0;  // 1: of all jobs of this user; 0: of this job alone
  std::uint16_t is_syncing = 0;      // 1: the launcher has what the job left brought to the disk, just now
  std::uint32_t syncs = 0;  // calls that had data brought to the disk, begun and ended; the last 32 bits
};

/// The means by which a job sees other users of a disk. Only append values: they lie in shared memory.
enum class SeenBy : std::uint64_t { untested, counters, pressure, none, progress };

/// How long any process on this host has waited for a disk, in all, and how much of this time may be the waits of the job's own members.
struct PressureSample {
  std::uint64_t stalled_ns = 0;
  std::uint64_t own_stalled_ns = 0;
};

/// What some samples have shown of a disk's foreground. It has only words, because it lies in shared memory.
struct DiskActivity {
  std::uint64_t sampled_at_ns = 0;  // 0: never
  DiskSample sample;
  OwnTraffic own;                       // at the sample
  std::uint64_t own_reads_awaited = 0;  // booked and not yet seen at the device
  std::uint64_t own_writes_awaited = 0;
  std::uint64_t foreground_at_ns = 0;     // when others were last seen at the disk; 0: never
  std::uint64_t preemption_ns = 0;        // the disk has to be quiet that long before we take it for idle
  std::uint64_t pace_bytes_per_s = 0;     // of `nice`
  std::uint64_t request_bytes = 0;        // the usual size of a request while the disk is ours
  std::uint64_t ran_since_ns = 0;         // when we first ran after the foreground's last request; 0: not yet
  PressureSample pressure;                // at the sample, of a disk that is judged by pressure
  std::uint64_t listen_until_ns = 0;      // until then the job keeps still to hear others; 0: it does not
  std::uint64_t listened_at_ns = 0;       // when it last began to
  std::uint16_t is_unsettled = 0;         // 1: the job itself did something before the sample
  std::uint16_t are_flushes_own = 0;      // 1: a flush that ends now may be that of a call of ours
  std::uint32_t syncing_written_kib = 0;  // booked since own.is_syncing became 1
  std::uint64_t random_read_ns =
      0;  // what the interval goes by: measured, or learned of our own reads; 0: of neither
  // How long a small read, a write, and a flush of the disk's cache take here, by most looks; 0: none was seen yet.
  std::uint32_t read_wait_us = 0;
  std::uint32_t write_wait_us = 0;
  std::uint32_t flush_wait_us = 0;
  std::uint32_t read_wait_looks = 0;  // how many looks read_wait_us is of, the first few
};

}  // namespace discnice
