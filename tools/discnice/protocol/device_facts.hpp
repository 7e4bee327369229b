// SPDX-License-Identifier: MIT
// device_facts: facts that one process of a job has learned about a device, for the other processes of the job.
//
// Each answer of /sys needs a walk through some links there, which takes 20 microseconds, and a process needs four answers before its first file. For the processes of a
// compiler, which live for some milliseconds each, this was the largest single cost.
//
// Host-safe, lock-free. If two processes learn about the same device at once, they write the same facts.
#pragma once

#include <cstdint>

#include "tools/discnice/protocol/layout.hpp"

namespace discnice::protocol {

/// The facts are valid for this time. The next process that needs them then learns them anew, because somebody may have set another window.
inline constexpr std::uint64_t kFactsMaxNs = 10'000'000'000;
/// No device has such a long window or request (1 GiB): a larger value is a wrong byte.
inline constexpr std::uint64_t kFactPagesMost = 1UL << 18U;
/// No device has larger folios either.
inline constexpr std::uint32_t kFactFolioOrderMost = 18;

struct DeviceFacts {
  std::uint64_t window_pages = 0;   // of the kernel's read-ahead
  std::uint64_t request_pages = 0;  // of the largest request
  std::uint32_t folio_order = 0;    // of the largest folio of its file system
  std::uint64_t disk = 0;  // whose counters tell of the device (outputs/disk_counters.hpp); 0: not known
};

/// What the job knows of the device with that number. False if it knows nothing, or nothing that is new enough.
bool load_device_facts(const Segment& segment, std::uint64_t number, std::uint64_t now_ns,
                       DeviceFacts* facts);

/// Tells the facts to the job. Does nothing if there is no room, or if they are beyond what load_device_facts() accepts.
void store_device_facts(Segment& segment, std::uint64_t number, std::uint64_t now_ns,
                        const DeviceFacts& facts);

/// The same for the disk alone, if the job knows the device; otherwise does nothing.
void store_device_disk(Segment& segment, std::uint64_t number, std::uint64_t disk);

}  // namespace discnice::protocol
