// SPDX-License-Identifier: MIT
// devices: what is known of the file system and device of a file. The kernel is asked once for each device, and the answer is remembered. The facts from /sys are read once for
// all processes of a job (protocol/device_facts.hpp).
#pragma once

#include <atomic>
#include <cstdint>

#include "tools/discnice/predictor/readahead_model.hpp"
#include "tools/discnice/protocol/layout.hpp"

namespace discnice::guest {

enum class CountVerdict : std::uint8_t { untested, works, lies };

/// Whether the close of a file that was emptied on opening sends the file to the disk.
enum class FlushOfEmptied : std::uint8_t { never, when_it_had_data, always };

struct Device {
  std::uint64_t number = 0;    // st_dev
  std::uint64_t mount_id = 0;  // of one of its mounts, where the number is no block device's; 0: not known
  std::uint64_t counted_disk = 0;  // whose counters tell of it, as far as the job knows; 0: not known
  bool is_free = false;            // lives in memory or is no disk at all: never charged
  bool is_ledger_kept = false;     // the kernel books reads of this file system to the reader
  std::uint64_t block_bytes = 0;
  std::uint64_t inode_bytes = 0;  // what a new file dirties in a table of inodes; 0: not modelled
  FlushOfEmptied flush_of_emptied = FlushOfEmptied::never;
  bool is_served =
      false;  // by a program, which keeps what is written to it in memory of its own (far_writes.hpp)
  bool is_flushed_by_renaming = false;  // a file that takes the place of another
  predictor::ReadaheadLimits limits;
  std::atomic<CountVerdict> count_verdict{CountVerdict::untested};  // does cachestat tell the truth here?
  std::atomic<protocol::Disk*> disk{nullptr};  // its entry in the job's segment, once it was needed
  std::atomic<bool> is_without_disk{false};    // there was no room for one
};

/// The device of an open file. Null if the table is full. At the first use it opens a few descriptors for a moment, unless another process of the segment's job has asked
/// already.
Device* device_of(protocol::Segment& segment, int fd, std::uint64_t number);

/// The device with this number, if a file on it was met before.
Device* known_device(std::uint64_t number);

}  // namespace discnice::guest
