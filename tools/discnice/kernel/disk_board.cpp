// SPDX-License-Identifier: MIT
#include "tools/discnice/kernel/disk_board.hpp"

#include <atomic>

#include "tools/discnice/protocol/layout.hpp"
#include "tools/discnice/protocol/segment_guard.hpp"

namespace discnice::guest {
namespace {

std::atomic<bool> is_claimed{false};  // somebody maps it, or has tried
std::atomic<protocol::Board*> mapped{nullptr};
std::atomic<protocol::BoardDisk*> disks[protocol::kDisksMax];  // by their place in the job's segment

// Null if there is no board, and while another thread is about to map it.
protocol::Board* board(const Job& job) {
  if (!is_claimed.load(std::memory_order_relaxed) && !is_claimed.exchange(true, std::memory_order_relaxed)) {
    const auto found = protocol::map_board();
    if (found) {
      protocol::guard_memory(found.value(), sizeof(protocol::Board));
      mapped.store(found.value(), std::memory_order_release);  // pairs with the acquire below
    } else if (job.member != nullptr) {
      protocol::add(*job.member, protocol::Counter::fallbacks, 1);
    }
  }
  return mapped.load(std::memory_order_acquire);
}

}  // namespace

protocol::BoardDisk* board_disk(const Job& job, unsigned place, std::uint64_t disk) {
  protocol::BoardDisk* known = disks[place].load(std::memory_order_relaxed);
  if (known == nullptr) {
    protocol::Board* here = board(job);
    if (here == nullptr) return nullptr;
    known = protocol::find_disk(*here, disk);
    disks[place].store(known, std::memory_order_relaxed);
  }
  return known != nullptr && known->number.load(std::memory_order_relaxed) == disk + 1 ? known : nullptr;
}

}  // namespace discnice::guest
