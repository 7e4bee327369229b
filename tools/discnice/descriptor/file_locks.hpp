// SPDX-License-Identifier: MIT
// file_locks: tells whether this process holds a file lock for which others may be waiting.
//
// If a program sleeps while it holds such a lock, other programs wait, too. So no wait begins then, and the debt is paid later. A lock that is held for longer than a moment is
// taken for one that is held always (a backup's lock on its archive, updatedb's lock on its database): it does not free the job from its limit.
#pragma once

#include <atomic>
#include <cstdint>

namespace discnice::guest {

namespace detail {
extern __attribute__((visibility("hidden"))) std::atomic<unsigned> locks_held;
void forget_locks(unsigned first, unsigned last);
}  // namespace detail

/// For this long after a lock was taken no wait begins.
inline constexpr std::uint64_t kLockCarryNs = 1'000'000'000;

void note_lock(int fd, std::uint64_t now_ns);
void note_unlock(int fd);
/// To be called when all descriptors in [first, last] were closed, so that their locks are gone. One load if there is no lock.
inline void note_locks_closed(unsigned first, unsigned last) {
  if (detail::locks_held.load(std::memory_order_relaxed) != 0) detail::forget_locks(first, last);
}
/// True while the process holds a lock that it took a moment ago. One load if there is no lock.
bool holds_fresh_lock(std::uint64_t now_ns);

}  // namespace discnice::guest
