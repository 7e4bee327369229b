// SPDX-License-Identifier: MIT
#include "tools/discnice/descriptor/file_locks.hpp"

namespace discnice::guest {
namespace {

using detail::locks_held;

constexpr unsigned kLocksMax = 16;  // descriptors with locks that are told apart; further locks are ignored

struct Lock {
  std::atomic<int> fd_plus_one;
  std::atomic<std::uint64_t> taken_at_ns;
};
Lock locks[kLocksMax];

void drop(Lock& lock, int fd_plus_one) {
  if (lock.fd_plus_one.compare_exchange_strong(fd_plus_one, 0, std::memory_order_relaxed))
    locks_held.fetch_sub(1, std::memory_order_relaxed);
}

}  // namespace

constinit std::atomic<unsigned> detail::locks_held{0};

void note_lock(int fd, std::uint64_t now_ns) {
  for (Lock& lock : locks) {
    if (lock.fd_plus_one.load(std::memory_order_relaxed) == fd + 1) return;
  }
  for (Lock& lock : locks) {
    int nobody = 0;
    if (!lock.fd_plus_one.compare_exchange_strong(nobody, fd + 1, std::memory_order_relaxed)) continue;
    lock.taken_at_ns.store(now_ns, std::memory_order_relaxed);
    locks_held.fetch_add(1, std::memory_order_relaxed);
    return;
  }
}

void note_unlock(int fd) {
  if (locks_held.load(std::memory_order_relaxed) == 0) return;
  for (Lock& lock : locks) drop(lock, fd + 1);
}

void detail::forget_locks(unsigned first, unsigned last) {
  for (Lock& lock : locks) {
    const int fd_plus_one = lock.fd_plus_one.load(std::memory_order_relaxed);
    if (fd_plus_one == 0) continue;
    const auto fd = static_cast<unsigned>(fd_plus_one - 1);
    if (fd >= first && fd <= last) drop(lock, fd_plus_one);
  }
}

bool holds_fresh_lock(std::uint64_t now_ns) {
  if (locks_held.load(std::memory_order_relaxed) == 0) return false;
  for (const Lock& lock : locks) {
    if (lock.fd_plus_one.load(std::memory_order_relaxed) == 0) continue;
    const std::uint64_t taken_at_ns = lock.taken_at_ns.load(std::memory_order_relaxed);
    if (now_ns < taken_at_ns + kLockCarryNs) return true;
  }
  return false;
}

}  // namespace discnice::guest
