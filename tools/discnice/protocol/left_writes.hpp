// SPDX-License-Identifier: MIT
// left_writes: data that many small files left to the kernel when they were closed, and the request to the launcher to send this data to the disk.
//
// A process cannot send what it wrote once the file is closed, and one file at a time makes a request of each. The launcher asks the kernel for a
// whole file system at once, beside the program (cli/left_writes_sender.hpp). Here is how it is asked.
#pragma once

#include <cstdint>

#include "tools/discnice/protocol/layout.hpp"

namespace discnice::protocol {

/// Whether the job has a launcher that sends such data.
inline bool has_left_sender(const Segment& segment) {
  return segment.sends_left.load(std::memory_order_relaxed) == 1;
}

/// Says whether it has such a launcher. The launcher repeats this again and again. A member that waited in vain says that there is none.
inline void set_left_sender(Segment& segment, bool is_there) {
  segment.sends_left.store(is_there ? 1 : 0, std::memory_order_relaxed);
}

/// Whether there is a request that the launcher has neither begun to serve nor refused.
inline bool is_left_asked(const Segment& segment) {
  // This load pairs with the release of the process that clears the request.
  return segment.send_left_of.load(std::memory_order_acquire) != 0;
}

/// Asks for the data on the file system of that mount (outputs/disk_below.hpp). Never waits.
void ask_to_send_left(Segment& segment, std::uint64_t mount_id);

/// How many times the launcher was asked or woken, as a number that wraps.
inline std::uint32_t left_asked(const Segment& segment) {
  return segment.left_asked.load(std::memory_order_acquire);  // pairs with the release of who asks
}

/// Waits for a request, at most for `wait_ms`. Does not wait if left_asked() is no longer `asked`. Returns the number of the mount plus one, or 0 if there is no request. The
/// request stays until it is cleared.
std::uint64_t wait_for_left(Segment& segment, std::uint32_t asked, unsigned wait_ms);

/// If a file system takes longer than this, other programs write to it as well, or its launcher was killed meanwhile.
inline constexpr std::uint64_t kSendingLeftMaxNs = 3'000'000'000;

/// Clears the request: nothing is sent.
inline void refuse_left(Segment& segment) {
  segment.send_left_of.store(0, std::memory_order_release);
}

// The lowest bits of the instant hold the place of the disk in the job's table.
static_assert((kDisksMax & (kDisksMax - 1)) == 0);
inline constexpr std::uint64_t kPlaceBits = kDisksMax - 1;

/// Clears the request, because the data on this disk of the job is sent from now on. A process that sees no request also sees that the data is sent.
inline void begin_sending_left(Segment& segment, const Disk& disk, std::uint64_t now_ns) {
  const auto place = static_cast<std::uint64_t>(&disk - segment.disks);
  segment.sending_left.store((now_ns & ~kPlaceBits) | place, std::memory_order_relaxed);
  segment.send_left_of.store(0, std::memory_order_release);
}

/// Notes that the data was sent.
inline void end_sending_left(Segment& segment) {
  segment.sending_left.store(0, std::memory_order_relaxed);
}

/// Whether the data on this disk of the job is being sent now. Then the disk's work is the job's.
inline bool is_sending_left(const Segment& segment, const Disk& disk, std::uint64_t now_ns) {
  const std::uint64_t sending = segment.sending_left.load(std::memory_order_relaxed);
  const std::uint64_t since_ns = sending & ~kPlaceBits;
  if (&disk != segment.disks + (sending & kPlaceBits)) return false;
  return since_ns != 0 && since_ns <= now_ns && now_ns - since_ns < kSendingLeftMaxNs;
}

/// Ends a wait of the launcher: `wait_for_left()` then returns 0.
void wake_left_sender(Segment& segment);

}  // namespace discnice::protocol
