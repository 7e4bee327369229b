// SPDX-License-Identifier: MIT
// file_locks: does this process hold a file lock that others may be waiting for?
//
// A program that sleeps while it holds one makes its neighbours sleep, too; so no wait begins then, and the debt is carried. A lock
// held for longer than a moment is one for life (a backup's lock on its archive, updatedb's on its database): it does not free
// the job from its limit.
#pragma once

#include <atomic>
#include <cstdint>

namespace discnice::guest {

namespace detail {
extern __attribute__((visibility("hidden"))) std::atomic<unsigned> locks_held;
void forget_locks(unsigned first, unsigned last);
}  // namespace detail

/// How long after a lock was taken no wait begins.
inline constexpr std::uint64_t kLockCarryNs = 1'000'000'000;

void note_lock(int fd, std::uint64_t now_ns);
void note_unlock(int fd);
/// All descriptors in [first, last] were closed: their locks are gone. One load when there is none.
inline void note_locks_closed(unsigned first, unsigned last) {
  if (detail::locks_held.load(std::memory_order_relaxed) != 0) detail::forget_locks(first, last);
}
/// True while a lock that was taken a moment ago is held. One load when there is none.
bool holds_fresh_lock(std::uint64_t now_ns);

}  // namespace discnice::guest
