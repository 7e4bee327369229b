// SPDX-License-Identifier: MIT
// claims: notes that the processes of a host share, so that several who ask for memory at once do not count the
// same free bytes.
//
// It is advisory: it helps those who take part, and whoever cannot (no /dev/shm, somebody else's file, a lock that
// is not given back) goes on without. There is a table for all users, the superuser's, and one for each user; a
// claim stands in the first that can be written to, and both are read.
// A claim names its process by number and start, and is dropped when that process is gone; one that is stopped asks for nothing
// meanwhile. Whatever is read is checked: a claim that makes no sense is dropped, a table that makes none is made anew. All work
// is done on a copy, so that nobody who cuts the file short can kill those who use it.
#pragma once

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "libgray/src/memory/fair_share.hpp"
#include "libgray/src/memory/pools.hpp"
#include "libgray/src/os/shared_os.hpp"

namespace gray::memory {

inline constexpr std::size_t kClaimsMax = 128;
inline constexpr std::size_t kClaimPoolsMax = 12;

enum class ClaimState : std::uint32_t {
  free = 0,
  waiting = 1,   // has nothing yet
  asking = 2,    // is growing
  held = 3,      // has what it got, all of it touched
  promised = 4,  // may still touch pending_bytes without asking
  leaving = 5,   // is giving back what it held
};

/// One claim, in memory that processes of different releases share: fixed widths, append only. Written by its
/// own process, or by any that finds it dead, under the lock.
struct Claim {
  std::uint32_t state;
  std::uint32_t pid;
  std::uint64_t process_start;
  std::uint64_t ticket;
  std::uint64_t min_bytes;
  std::uint64_t max_bytes;
  std::uint64_t held_bytes;     // touched so far
  std::uint64_t pending_bytes;  // of a promise
  std::uint64_t pool_count;
  std::uint64_t pools[kClaimPoolsMax];
};

struct ClaimTable {
  std::uint64_t magic;
  std::uint32_t version;     // another one is another format: such a table is left alone
  std::uint32_t generation;  // counted up, and waited on, when memory may have become free
  std::uint64_t next_ticket;
  Claim claims[kClaimsMax];
};
static_assert(sizeof(Claim) == 160 && sizeof(ClaimTable) == 24 + kClaimsMax * sizeof(Claim));

struct Allowance {
  std::uint64_t bytes = 0;       // in all, what is held included
  std::uint32_t askers = 1;      // who share the tightest pool now, this one included
  std::uint32_t generation = 0;  // for wait()
  std::uint64_t granted_bytes =
      0;  // to others, out of the tightest pool: what they hold is not somebody else's growth
  bool is_moving = false;  // one of them gives his back now: room and granted_bytes count it twice
};

/// The tables of this process. Any thread. After fork() a child's claims are its own: those of its parent stay
/// as they are whatever the child does. lock_for_fork() and unlock_after_fork() belong around a fork.
class Claims {
 public:
  /// Claims by nobody: nothing is shared.
  Claims() = default;
  explicit Claims(const char* name);

  [[nodiscard]] bool is_shared() const { return tables_[0].address != nullptr; }

  /// Enters a claim; its number, or -1 where there is no table or no room in it.
  int enter(ClaimState state, std::uint64_t min_bytes, std::uint64_t max_bytes,
            const std::vector<std::uint64_t>& pool_ids);

  /// What the claim may grow to, given what the host's accounts say now; notes what it holds. The accounts are
  /// read by `look` under the lock, so that nobody else's step falls between. With claim -1: the whole room.
  template <typename Look>
  Allowance allow(int claim, std::uint64_t held_bytes, std::uint64_t max_bytes, Look look) {
    const std::lock_guard<std::mutex> guard(mutex_);
    const bool is_locked = lock();
    const Allowance allowance = divide(is_locked ? claim : -1, held_bytes, max_bytes, look());
    if (is_locked) unlock();
    return allowance;
  }

  void change(int claim, ClaimState state, std::uint64_t held_bytes, std::uint64_t pending_bytes);
  void leave(int claim);

  /// Sleeps till memory may have become free, by those who take part, or till the time has passed.
  void wait(std::uint32_t generation, std::uint64_t timeout_ns);

  /// A descriptor that gets readable when wait() would end before its time.
  [[nodiscard]] base::Result<int> watch() const {
    return is_shared() ? os::watch_shared(tables_[0]) : base::Result<int>::failure(-ENOENT);
  }

  void lock_for_fork() { mutex_.lock(); }
  void unlock_after_fork() { mutex_.unlock(); }

 private:
  bool lock();
  void unlock();
  [[nodiscard]] Claim* own(int claim);
  [[nodiscard]] std::vector<Claim> living();
  Allowance divide(int claim, std::uint64_t held_bytes, std::uint64_t max_bytes,
                   const std::vector<Pool>& pools);
  void announce();

  std::mutex mutex_;
  static constexpr std::uint64_t kLockTimeoutNs = 2'000'000'000;  // it is held while a few files are read

  os::SharedMemory tables_[2];          // written to; only read
  std::array<ClaimTable, 2> copies_{};  // of them; the first is that of the file from lock() to unlock()
  bool is_announced_ = false;           // since lock()
  std::uint64_t lock_timeout_ns_ = kLockTimeoutNs;
};

/// The bytes an asker may hold, by all its pools. `others` are the other claims, `me` the asker's own. Pure.
Allowance divide_pools(const std::vector<Pool>& pools, const std::vector<Claim>& others, const Claim& me);

}  // namespace gray::memory
