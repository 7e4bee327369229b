// SPDX-License-Identifier: MIT
// file_locks: tells whether this process holds a file lock for which others may be waiting.
//
// A program that sleeps while it holds a lock makes the programs that want the lock wait, too. So no wait begins while a fresh lock is held, and the debt is
// kept. A lock that is held for more than kLockCarryNs is most likely held until the program ends (a backup's lock on its archive, updatedb's lock on its
// database). Such a lock does not free the job from its limit.
#pragma once

#include <atomic>
#include <cstdint>

namespace discnice::guest {

namespace detail {
extern __attribute__((visibility("hidden"))) std::atomic<unsigned> locks_held;
void forget_locks(unsigned first, unsigned last);
}  // namespace detail

/// For this time after a lock was taken, no wait begins.
inline constexpr std::uint64_t kLockCarryNs = 1'000'000'000;

void note_lock(int fd, std::uint64_t now_ns);
void note_unlock(int fd);
/// All descriptors in [first, last] were closed, so their locks are gone. Costs one load when no lock is held.
inline void note_locks_closed(unsigned first, unsigned last) {
  if (detail::locks_held.load(std::memory_order_relaxed) != 0) detail::forget_locks(first, last);
}
/// True while a lock is held that was taken less than kLockCarryNs ago. Costs one load when no lock is held.
bool holds_fresh_lock(std::uint64_t now_ns);

}  // namespace discnice::guest
