// SPDX-License-Identifier: MIT
// counters: the counters of a running emulated disk. The counters are in a small shared file that every user may read while the disk
// runs.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

namespace hddsim {

inline constexpr std::uint64_t kCountersMagic = 0x686464'73696d'0001;  // "hddsim", layout 1

/// Only the disk writes. The values are relaxed sums that only grow, except the length of the queue.
struct Counters {
  std::uint64_t magic = kCountersMagic;
  std::atomic<std::uint64_t> reads{0};
  std::atomic<std::uint64_t> writes{0};
  std::atomic<std::uint64_t> flushes{0};
  std::atomic<std::uint64_t> read_bytes{0};
  std::atomic<std::uint64_t> write_bytes{0};
  std::atomic<std::uint64_t> seeks{0};      ///< Movements to another track; erases of a card.
  std::atomic<std::uint64_t> rotations{0};  ///< Waits for the platters; waits for credits of a cloud volume.
  std::atomic<std::uint64_t> buffered{0};   ///< Requests answered from the disk's own memory.
  std::atomic<std::uint64_t> seek_ns{0};
  std::atomic<std::uint64_t> rotation_ns{0};
  std::atomic<std::uint64_t> transfer_ns{0};
  std::atomic<std::uint64_t> busy_ns{0};  ///< Time with at least one request in service.
  std::atomic<std::uint64_t> late_ns{0};  ///< By how much answers came later than the model says, summed.
  std::atomic<std::uint64_t> late_max_ns{0};
  std::atomic<std::uint64_t> queue_now{0};  ///< Requests waiting or in service.
  std::atomic<std::uint64_t> queue_max{0};
};

/// The counters in the file at `path`, made anew if `is_new`. Null on failure, with errno set. Never unmapped.
Counters* map_counters(const std::string& path, bool is_new);

}  // namespace hddsim
