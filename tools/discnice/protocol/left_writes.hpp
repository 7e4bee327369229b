// SPDX-License-Identifier: MIT
// left_writes: what many small files left to the kernel when they were closed, and who sends it to the disk.
//
// A process cannot send what it wrote once the file is closed, and one file at a time makes a request of each. The launcher asks the kernel for a
// whole file system at once, beside the program (cli/left_writes_sender.hpp). Here is how it is asked.
#pragma once

#include <cstdint>

#include "tools/discnice/protocol/layout.hpp"

namespace discnice::protocol {

/// Whether the job has a launcher that sends what was left.
inline bool has_left_sender(const Segment& segment) {
  return segment.sends_left.load(std::memory_order_relaxed) == 1;
}

/// Says whether it does. The launcher says so again and again; a member that waited in vain says that it does not.
inline void set_left_sender(Segment& segment, bool is_there) {
  segment.sends_left.store(is_there ? 1 : 0, std::memory_order_relaxed);
}

/// Whether somebody has asked, and the launcher neither sends nor has refused yet.
inline bool is_left_asked(const Segment& segment) {
  // Pairs with the release of who takes the asking off.
  return segment.send_left_of.load(std::memory_order_acquire) != 0;
}

/// Asks for what was left on the file system of that mount (outputs/disk_below.hpp). Never waits.
void ask_to_send_left(Segment& segment, std::uint64_t mount_id);

/// How often somebody has asked or woken the launcher, as a number that wraps.
inline std::uint32_t left_asked(const Segment& segment) {
  return segment.left_asked.load(std::memory_order_acquire);  // pairs with the release of who asks
}

/// Waits until somebody asks, and no longer than `wait_ms`; not at all when left_asked() is no longer `asked`. Returns the mount's number plus
/// one, and 0 when nobody has asked. The asking stands until it is taken off.
std::uint64_t wait_for_left(Segment& segment, std::uint32_t asked, unsigned wait_ms);

/// A file system that takes longer is written by others as well; or its launcher was killed meanwhile.
inline constexpr std::uint64_t kSendingLeftMaxNs = 3'000'000'000;

/// Takes the asking off: nothing is sent.
inline void refuse_left(Segment& segment) {
  segment.send_left_of.store(0, std::memory_order_release);
}

// The last bits of the instant are the disk's place in the job's table.
static_assert((kDisksMax & (kDisksMax - 1)) == 0);
inline constexpr std::uint64_t kPlaceBits = kDisksMax - 1;

/// Takes the asking off: what was left on this disk of the job's is being sent from now on. Whoever sees that nothing is asked sees that it is sent.
inline void begin_sending_left(Segment& segment, const Disk& disk, std::uint64_t now_ns) {
  const auto place = static_cast<std::uint64_t>(&disk - segment.disks);
  segment.sending_left.store((now_ns & ~kPlaceBits) | place, std::memory_order_relaxed);
  segment.send_left_of.store(0, std::memory_order_release);
}

/// What was left has been sent.
inline void end_sending_left(Segment& segment) {
  segment.sending_left.store(0, std::memory_order_relaxed);
}

/// Whether what was left on this disk of the job's is being sent just now: the disk's work is the job's then.
inline bool is_sending_left(const Segment& segment, const Disk& disk, std::uint64_t now_ns) {
  const std::uint64_t sending = segment.sending_left.load(std::memory_order_relaxed);
  const std::uint64_t since_ns = sending & ~kPlaceBits;
  if (&disk != segment.disks + (sending & kPlaceBits)) return false;
  return since_ns != 0 && since_ns <= now_ns && now_ns - since_ns < kSendingLeftMaxNs;
}

/// Ends a wait of the launcher's: `wait_for_left()` then returns 0.
void wake_left_sender(Segment& segment);

}  // namespace discnice::protocol
