// SPDX-License-Identifier: MIT
// left_writes: how the data of small files that were closed is sent to the disk by the launcher.
//
// A process cannot send its written data once the file is closed, and sending before each close makes one request of each file. So many small files
// are left to the kernel, and the launcher asks the kernel to write a whole file system at once, while the program runs (cli/left_writes_sender.hpp). This
// file has the functions by which the members ask the launcher.
#pragma once

#include <cstdint>

#include "tools/discnice/protocol/layout.hpp"

namespace discnice::protocol {

/// Whether the job has a launcher that sends such data.
inline bool has_left_sender(const Segment& segment) {
  return segment.sends_left.load(std::memory_order_relaxed) == 1;
}

/// Stores whether there is such a launcher. The launcher stores true again and again. A member that has waited and got no answer stores
/// false.
inline void set_left_sender(Segment& segment, bool is_there) {
  segment.sends_left.store(is_there ? 1 : 0, std::memory_order_relaxed);
}

/// Whether a member has asked, and the launcher has neither started to send nor refused yet.
inline bool is_left_asked(const Segment& segment) {
  // This acquire pairs with the release of the thread that clears the request.
  return segment.send_left_of.load(std::memory_order_acquire) != 0;
}

/// Asks the launcher to send the data on the file system of that mount (outputs/disk_below.hpp). Never waits.
void ask_to_send_left(Segment& segment, std::uint64_t mount_id);

/// How often the launcher was asked or woken, as a number that wraps around.
inline std::uint32_t left_asked(const Segment& segment) {
  return segment.left_asked.load(
      std::memory_order_acquire);  // pairs with the release of the thread that asks
}

/// Waits until a member asks, but no longer than `wait_ms`. Does not wait when left_asked() is no longer `asked`. Returns the mount's number plus
/// one, or 0 when no member has asked. The request stays until it is cleared.
std::uint64_t wait_for_left(Segment& segment, std::uint32_t asked, unsigned wait_ms);

/// When sending takes longer than this, other programs write to the file system as well, or the launcher was killed meanwhile.
inline constexpr std::uint64_t kSendingLeftMaxNs = 3'000'000'000;

/// Clears the request: nothing is sent.
inline void refuse_left(Segment& segment) {
  segment.send_left_of.store(0, std::memory_order_release);
}

// The last bits of the instant hold the disk's place in the job's table.
static_assert((kDisksMax & (kDisksMax - 1)) == 0);
inline constexpr std::uint64_t kPlaceBits = kDisksMax - 1;

/// Clears the request: the data on this disk of the job is being sent from now on. A thread that sees no request also sees that the data is being sent.
inline void begin_sending_left(Segment& segment, const Disk& disk, std::uint64_t now_ns) {
  const auto place = static_cast<std::uint64_t>(&disk - segment.disks);
  segment.sending_left.store((now_ns & ~kPlaceBits) | place, std::memory_order_relaxed);
  segment.send_left_of.store(0, std::memory_order_release);
}

/// Notes that the data has been sent.
inline void end_sending_left(Segment& segment) {
  segment.sending_left.store(0, std::memory_order_relaxed);
}

/// Whether the data on this disk of the job is being sent just now. The disk's work then belongs to the job.
inline bool is_sending_left(const Segment& segment, const Disk& disk, std::uint64_t now_ns) {
  const std::uint64_t sending = segment.sending_left.load(std::memory_order_relaxed);
  const std::uint64_t since_ns = sending & ~kPlaceBits;
  if (&disk != segment.disks + (sending & kPlaceBits)) return false;
  return since_ns != 0 && since_ns <= now_ns && now_ns - since_ns < kSendingLeftMaxNs;
}

/// Ends a wait of the launcher: `wait_for_left()` then returns 0.
void wake_left_sender(Segment& segment);

}  // namespace discnice::protocol
