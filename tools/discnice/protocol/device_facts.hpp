// SPDX-License-Identifier: MIT
// device_facts: what one process of a job has learned about a device, for the others of the job.
//
// Each answer of /sys is a walk through some links there, 20 microseconds, and a process wants four of them before its first file; of a compiler's
// processes, which live for some milliseconds each, that was the largest single cost.
//
// Host-safe, lock-free. Two who learn the same device at once write the same facts.
#pragma once

#include <cstdint>

#include "tools/discnice/protocol/layout.hpp"

namespace discnice::protocol {

/// Facts hold for so long; then whoever needs them next learns them anew, for somebody may have set another window.
inline constexpr std::uint64_t kFactsMaxNs = 10'000'000'000;
/// No device has a window or a request so long (1 GiB): what says so is a wrong byte.
inline constexpr std::uint64_t kFactPagesMost = 1UL << 18U;
/// Nor has any such folios.
inline constexpr std::uint32_t kFactFolioOrderMost = 18;

struct DeviceFacts {
  std::uint64_t window_pages = 0;   // of the kernel's read-ahead
  std::uint64_t request_pages = 0;  // of the largest request
  std::uint32_t folio_order = 0;    // of the largest folio of its file system
  std::uint64_t disk = 0;  // whose counters tell of the device (outputs/disk_counters.hpp); 0: not known
};

/// What the job knows of the device of that number; false when it knows nothing, or nothing new enough.
bool load_device_facts(const Segment& segment, std::uint64_t number, std::uint64_t now_ns,
                       DeviceFacts* facts);

/// Tells the job. Does nothing when there is no room, or when they are beyond what load_device_facts() takes.
void store_device_facts(Segment& segment, std::uint64_t number, std::uint64_t now_ns,
                        const DeviceFacts& facts);

/// The same of the disk alone, of a device the job knows; else does nothing.
void store_device_disk(Segment& segment, std::uint64_t number, std::uint64_t disk);

}  // namespace discnice::protocol
