// SPDX-License-Identifier: MIT
// devices: what is known of the file system and device on which a file lies. A process asks once for each device and remembers the answer. The files in /sys
// are read once for all processes of a job (protocol/device_facts.hpp).
#pragma once

#include <atomic>
#include <cstdint>

#include "tools/discnice/predictor/readahead_model.hpp"
#include "tools/discnice/protocol/layout.hpp"

namespace discnice::guest {

enum class CountVerdict : std::uint8_t { untested, works, lies };

/// The cases in which the close of a file sends the file to the disk, when the file was emptied as it was opened.
enum class FlushOfEmptied : std::uint8_t { never, when_it_had_data, always };

struct Device {
  std::uint64_t number = 0;  // st_dev
  std::uint64_t mount_id =
      0;  // of one of its mounts, when the number is not that of a block device; 0: not known
  std::uint64_t counted_disk =
      0;  // the disk whose counters count this device's traffic, as far as the job knows; 0: not known
  bool is_free = false;         // the file system lives in memory or has no disk: never charged
  bool is_ledger_kept = false;  // the kernel charges reads of this file system to the reader
  std::uint64_t block_bytes = 0;
  std::uint64_t inode_bytes = 0;  // the bytes that a new file dirties in a table of inodes; 0: not modelled
  FlushOfEmptied flush_of_emptied = FlushOfEmptied::never;
  bool is_served = false;  // served by a program, which keeps written data in its own memory (far_writes.hpp)
  bool is_flushed_by_renaming = false;  // a rename over an existing file sends the new file to the disk
  predictor::ReadaheadLimits limits;
  std::atomic<CountVerdict> count_verdict{CountVerdict::untested};  // whether cachestat tells the truth here
  std::atomic<protocol::Disk*> disk{nullptr};  // its entry in the job's segment, once the entry was needed
  std::atomic<bool> is_without_disk{false};    // the job's segment had no room for an entry
};

/// The device of an open file. Null when the table is full. When no process of the job has used the device before, the call opens a few descriptors for a
/// moment.
Device* device_of(protocol::Segment& segment, int fd, std::uint64_t number);

/// The device whose number is `number`. Null when this process has used no file on that device.
Device* known_device(std::uint64_t number);

}  // namespace discnice::guest
