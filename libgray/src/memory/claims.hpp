// SPDX-License-Identifier: MIT
// claims: a table of claims that the processes of a user share, so that several processes that ask for memory at once do not count the same free bytes.
//
// The table is advisory: it helps the processes that take part. A process that cannot use it (no /dev/shm, another user's file, a lock that is not released) continues without
// it. Each user has a table that no other user can open. Users see each other only through the kernel's counts: through the free memory of the pools and its
// changes.
//
// The content of the table is checked against the kernel. A claim counts only while a process holds its slot; the kernel tells that, and the holder's process number. The holder
// must act for this user. A claim counts for no more bytes than its slot is held for, and for no more than the pool's capacity. Its held bytes count for no more than the kernel
// counts as the process's own memory. The kernel also tells on which pools the process draws. All work is done on a copy of the table. A process writes only its own slots, so
// that a faulty process harms only its own claims.
#pragma once

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "libgray/src/memory/fair_share.hpp"
#include "libgray/src/memory/pools.hpp"
#include "libgray/src/os/shared_os.hpp"

namespace gray::memory {

inline constexpr std::size_t kClaimsMax = 128;
/// The table's name. All processes that ask for memory, or promise to use some, share this table.
inline constexpr char kClaimTableName[] = "gray-mac4";

enum class ClaimState : std::uint32_t {
  free = 0,
  waiting = 1,     // holds no memory yet
  asking = 2,      // is growing
  held = 3,        // holds its grant, and has touched all of it
  promised = 4,    // may still touch pending_bytes without asking
  leaving = 5,     // is giving back the memory that it held
  returnable = 6,  // as `held`; the part above min_bytes may be asked back
};

/// One claim, in memory that processes of different releases share. When the layout changes, the table gets a new name.
struct Claim {
  std::uint32_t state;
  std::uint32_t pid;         // in its own PID namespace
  std::uint64_t arrival_ns;  // the order of arrival
  std::uint64_t min_bytes;
  std::uint64_t max_bytes;      // an upper bound of all amounts of the claim; the size of its lock range
  std::uint64_t held_bytes;     // bytes touched so far
  std::uint64_t pending_bytes;  // of a promise
  std::uint64_t
      reserve_bytes;  // of a waiting process: must be free in addition to min_bytes, by the account of kCommonAccount
  std::uint64_t checksum;  // of the fields above: a torn or damaged claim counts for nothing
};

struct ClaimTable {
  std::uint32_t
      generation;  // increased when memory may have become free; waiting processes wait for this increase
  std::uint32_t unused;
  Claim claims[kClaimsMax];
};
static_assert(sizeof(Claim) == 64 && sizeof(ClaimTable) == 8 + kClaimsMax * sizeof(Claim));

/// The checksum of a claim, over its other fields.
std::uint64_t checksum_of(const Claim& claim);

/// A valid claim, and the kernel's facts about its process.
struct Member {
  Claim claim{};
  bool is_ours = false;     // a claim of this process; it draws on the same pools
  std::string cgroup_text;  // the content of /proc/PID/cgroup
};

struct Allowance {
  std::uint64_t bytes = 0;  // the total, including the memory held already
  std::uint64_t now_bytes =
      0;  // the part of it that may be touched now; the rest is held by other askers, who must give it back first
  std::uint32_t askers = 1;      // the processes that share the tightest pool now, including this process
  std::uint32_t generation = 0;  // for wait()
  std::uint64_t granted_bytes =
      0;  // grants of other processes in the tightest pool; these are no growth of a process without a claim
  // One of these other processes gives its memory back now: room and granted_bytes both count that memory.
  bool is_moving = false;
};

/// How long one call may still wait for the table's lock, summed over all attempts. After that time the call continues without the lock.
struct Patience {
  std::uint64_t left_ns = 500'000'000;  // the lock is held while a few files are read
};

/// How much memory must be free in addition to the minimum of an asking process whose options differ from kCommonAccount. With this addition there is enough
/// memory by its own options. `own` holds the pools by the process's own options, and `common` the pools by kCommonAccount. Pure.
std::uint64_t reserve_for(const std::vector<Pool>& own, const std::vector<Pool>& common);

/// How much a returnable claim should give back now, by the pools of kCommonAccount. Two amounts are needed: the memory that waiting processes lack for their minima, in the
/// order of arrival and as far as all returnable memory suffices; and the memory that the accounts show as missing. The holder of the most memory gives first. So the holders
/// keep equal parts, but at least their minima. Pure.
std::uint64_t bytes_to_return(const std::vector<Pool>& pools, const std::vector<Member>& others,
                              const Claim& me);

/// The table of this process's user. Any thread. After fork() a child has claims of its own; it cannot change the claims of its parent. Call lock_for_fork() before and
/// unlock_after_fork() after a fork.
class Claims {
 public:
  /// A table without a name: nothing is shared.
  Claims() = default;
  explicit Claims(const char* name);

  [[nodiscard]] bool is_shared() const { return table_.address != nullptr; }

  /// Enters a claim. Returns its number, or -1 if there is no table, or if the table is full.
  int enter(ClaimState state, std::uint64_t min_bytes, std::uint64_t max_bytes);

  /// Reads the host's accounts of memory and returns the total size up to which the claim may grow at this moment. Notes in the table how much the claim holds. `look` reads the
  /// accounts under the lock, so that no other process takes memory in between. With claim -1 the answer is the whole free
  /// memory.
  template <typename Look>
  Allowance allow(Patience& patience, int claim, std::uint64_t held_bytes, std::uint64_t max_bytes,
                  Look look) {
    std::unique_lock<std::mutex> guard(mutex_, std::defer_lock);
    const bool is_locked = lock(guard, patience);
    const Allowance allowance = divide(claim, held_bytes, max_bytes, look());
    if (is_locked) unlock();
    return allowance;
  }

  /// Same as allow(), and turns the claim into a promise under the same lock, so that two processes that ask at once never get the same bytes. `cut` computes the promise from
  /// the allowance; 0 promises nothing. Returns the promised bytes.
  template <typename Look, typename Cut>
  std::uint64_t promise(Patience& patience, int claim, std::uint64_t max_bytes, Look look, Cut cut) {
    std::unique_lock<std::mutex> guard(mutex_, std::defer_lock);
    const bool is_locked = lock(guard, patience);
    const std::uint64_t bytes = cut(divide(claim, 0, max_bytes, look()));
    if (bytes != 0) set(claim, ClaimState::promised, 0, bytes);
    if (is_locked) unlock();
    return bytes;
  }

  /// How much of a returnable claim other processes need now; 0 also if the claim does not belong to this process. `generation` is for wait(). Nothing is written, so no lock is
  /// needed. Holders ask often, and would otherwise keep waiting processes from the lock.
  template <typename Look>
  std::uint64_t wanted_back(int claim, std::uint32_t& generation, Look look) {
    const std::lock_guard<std::mutex> guard(mutex_);
    read_table();
    generation = copy_.generation;
    const Claim* entry = own(claim);
    return entry == nullptr ? 0 : bytes_to_return(look(), others_than(claim), *entry);
  }

  /// Wakes the holders of returnable memory: the process of this claim waits, and `reserve_bytes` must be free in addition to its
  /// minimum.
  void ask_back(int claim, std::uint64_t reserve_bytes);

  /// Changes the claim. The first promised amount, or the amount held, is the claim's maximum from then on.
  void change(int claim, ClaimState state, std::uint64_t held_bytes, std::uint64_t pending_bytes);
  void leave(int claim);

  /// Sleeps until a process with claims may have freed memory, or until the time has passed.
  void wait(std::uint32_t generation, std::uint64_t timeout_ns);

  /// A descriptor that becomes readable when wait() would end before its time.
  [[nodiscard]] base::Result<int> watch() const {
    const std::lock_guard<std::mutex> guard(mutex_);
    return is_shared() ? os::watch_shared(table_) : base::Result<int>::failure(-ENOENT);
  }

  void lock_for_fork() { mutex_.lock(); }
  void unlock_after_fork() { mutex_.unlock(); }

 private:
  void open();
  bool lock(std::unique_lock<std::mutex>& guard, Patience& patience);
  void unlock();
  void read_table();
  [[nodiscard]] Claim* own(int claim);
  void write(std::size_t slot);
  void set(int claim, ClaimState state, std::uint64_t held_bytes, std::uint64_t pending_bytes);
  bool read_member(std::size_t slot, Member& member) const;
  [[nodiscard]] std::vector<Member> others_than(int claim);
  Allowance divide(int claim, std::uint64_t held_bytes, std::uint64_t max_bytes,
                   const std::vector<Pool>& pools);
  void announce();

  mutable std::mutex mutex_;
  std::string name_;
  os::SharedMemory table_;
  ClaimTable copy_{};  // the copy of the table that lock() reads
  std::array<Claim, kClaimsMax>
      own_{};  // the claims of this process. After a fork pid differs from the child's number, so the child does not use them
};

/// The bytes that an asker may hold, by all its pools. `others` are the other claims, `me` is the asker's claim. Pure.
Allowance divide_pools(const std::vector<Pool>& pools, const std::vector<Member>& others, const Claim& me);

}  // namespace gray::memory
