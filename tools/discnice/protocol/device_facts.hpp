// SPDX-License-Identifier: MIT
// device_facts: what one process of a job has learned about a device, kept for the job's other processes.
//
// Each question to /sys follows some links there, which takes 20 microseconds, and a process needs four of them before its first file. A
// compiler's processes live for some milliseconds each, and for them these questions were the largest single cost.
//
// Safe inside the program that loads the library: no heap and no lock. Two processes that learn the same device at the same time write the same facts.
#pragma once

#include <cstdint>

#include "tools/discnice/protocol/layout.hpp"

namespace discnice::protocol {

/// Facts are valid for this time. The next process that needs them then learns them again, because the window may have been changed.
inline constexpr std::uint64_t kFactsMaxNs = 10'000'000'000;
/// No device has a window or a request of this length (1 GiB). A longer one means damaged shared memory.
inline constexpr std::uint64_t kFactPagesMost = 1UL << 18U;
/// No file system has larger folios.
inline constexpr std::uint32_t kFactFolioOrderMost = 18;

struct DeviceFacts {
  std::uint64_t window_pages = 0;   // the kernel's read-ahead window
  std::uint64_t request_pages = 0;  // the largest request
  std::uint32_t folio_order = 0;    // the largest folio of the file system
  std::uint64_t disk =
      0;  // the disk whose counters count the device (outputs/disk_counters.hpp); 0: not known
};

/// The facts that the job has about the device whose number is `number`. Returns false when the job knows nothing, or when its
/// facts are too old.
bool load_device_facts(const Segment& segment, std::uint64_t number, std::uint64_t now_ns,
                       DeviceFacts* facts);

/// Stores the facts for the job. Does nothing when there is no room, or when load_device_facts() would not accept them.
void store_device_facts(Segment& segment, std::uint64_t number, std::uint64_t now_ns,
                        const DeviceFacts& facts);

/// Stores only the disk, for a device that the job knows. Does nothing for other devices.
void store_device_disk(Segment& segment, std::uint64_t number, std::uint64_t disk);

}  // namespace discnice::protocol
