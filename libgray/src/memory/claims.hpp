// SPDX-License-Identifier: MIT
// claims: a table that the processes of a user share, so that several processes that ask for memory at once do not count the same free bytes.
//
// The table is advisory. A process that cannot use it (no /dev/shm, a file of another user, a lock that is not released) goes on without it. Each user has a table of his own,
// which nobody else can open: users see each other by what the kernel counts, the room of the pools and how it shrinks, and not by what they say of themselves.
//
// Nothing that stands in the table is believed. A claim counts only while a process holds its slot, which the kernel says, with the
// holder's number; that process must act for this user. It counts for no more bytes than the slot was taken for, than the pool ever
// has, and where it says what is held, than the kernel counts as that process's own. The kernel also says which pools the process
// draws on. Everything is done on a copy, and a process writes its own slots only, so that a damaged one harms its own claims.
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
/// The name of the table. All processes that ask for memory or promise to use memory share it.
inline constexpr char kClaimTableName[] = "gray-mac4";

enum class ClaimState : std::uint32_t {
  free = 0,
  waiting = 1,     // has nothing yet
  asking = 2,      // is growing
  held = 3,        // has what it got, all of it touched
  promised = 4,    // may still touch pending_bytes without asking
  leaving = 5,     // is giving back what it held
  returnable = 6,  // as held, and what is above min_bytes may be asked back
};

/// One claim, in memory that processes of different releases share. The name of the table changes when the layout changes.
struct Claim {
  std::uint32_t state;
  std::uint32_t pid;         // in its own PID namespace
  std::uint64_t arrival_ns;  // the order of arrival
  std::uint64_t min_bytes;
  std::uint64_t max_bytes;      // no part of the claim is more; its slot is taken for so many
  std::uint64_t held_bytes;     // touched so far
  std::uint64_t pending_bytes;  // of a promise
  std::uint64_t
      reserve_bytes;  // of one who waits: has to be free beside min_bytes, by the account of kCommonAccount
  std::uint64_t checksum;  // of the above: a torn or damaged claim counts for nothing
};

struct ClaimTable {
  std::uint32_t generation;  // counted up, and waited on, when memory may have become free
  std::uint32_t unused;
  Claim claims[kClaimsMax];
};
static_assert(sizeof(Claim) == 64 && sizeof(ClaimTable) == 8 + kClaimsMax * sizeof(Claim));

/// The checksum of a claim, over its other fields.
std::uint64_t checksum_of(const Claim& claim);

/// A valid claim, with what the kernel says about its process.
struct Member {
  Claim claim{};
  bool is_ours = false;     // this process's own: it draws on all pools that we do
  std::string cgroup_text;  // of /proc/PID/cgroup
};

struct Allowance {
  std::uint64_t bytes = 0;  // in all, what is held included
  std::uint64_t now_bytes =
      0;  // of that, what may be touched now: the rest others hold who ask, too, and have to give back first
  std::uint32_t askers = 1;      // who share the tightest pool now, this one included
  std::uint32_t generation = 0;  // for wait()
  std::uint64_t granted_bytes =
      0;  // to others, out of the tightest pool: what they hold is not somebody else's growth
  bool is_moving = false;  // one of them gives his back now: room and granted_bytes count it twice
};

/// How long one call may still wait for the table's lock, however often it takes the lock. After that the call goes on without the lock.
struct Patience {
  std::uint64_t left_ns = 500'000'000;  // it is held while a few files are read
};

/// How much must be free beside the minimum of a call that asks with other options than kCommonAccount, so that the call finds enough memory by its own options. `own` are its
/// pools by its options, `common` its pools by that account. Pure.
std::uint64_t reserve_for(const std::vector<Pool>& own, const std::vector<Pool>& common);

/// How much a returnable claim should give back now, for pools by kCommonAccount. Others lack memory in two ways: waiting calls lack a part of their minima, in the order of
/// arrival, as far as all returnable memory can serve them; and the accounts may show that memory is missing. The process that holds most gives first. So all processes with
/// returnable memory keep equal parts, and at least their minima. Pure.
std::uint64_t bytes_to_return(const std::vector<Pool>& pools, const std::vector<Member>& others,
                              const Claim& me);

/// The table of this process's user. Any thread. After fork() the child has claims of its own; the claims of its parent stay as they are, whatever the child does. Call
/// lock_for_fork() before a fork and unlock_after_fork() after it.
class Claims {
 public:
  /// Claims without a table: nothing is shared.
  Claims() = default;
  explicit Claims(const char* name);

  [[nodiscard]] bool is_shared() const { return table_.address != nullptr; }

  /// Enters a claim. Returns its number, or -1 if there is no table or no room in it.
  int enter(ClaimState state, std::uint64_t min_bytes, std::uint64_t max_bytes);

  /// How large the claim may become, by the present accounts of the host. Also notes how much it holds. `look` reads the accounts under the lock, so that no step of another
  /// process falls in between. With claim -1 the result is the whole room.
  template <typename Look>
  Allowance allow(Patience& patience, int claim, std::uint64_t held_bytes, std::uint64_t max_bytes,
                  Look look) {
    std::unique_lock<std::mutex> guard(mutex_, std::defer_lock);
    const bool is_locked = lock(guard, patience);
    const Allowance allowance = divide(claim, held_bytes, max_bytes, look());
    if (is_locked) unlock();
    return allowance;
  }

  /// As allow(), but in the same step it turns the claim into a promise. The promise is the result of `cut` for the allowance. So two calls at once are never promised the same
  /// bytes. If `cut` returns 0, nothing is promised. Returns the promised bytes.
  template <typename Look, typename Cut>
  std::uint64_t promise(Patience& patience, int claim, std::uint64_t max_bytes, Look look, Cut cut) {
    std::unique_lock<std::mutex> guard(mutex_, std::defer_lock);
    const bool is_locked = lock(guard, patience);
    const std::uint64_t bytes = cut(divide(claim, 0, max_bytes, look()));
    if (bytes != 0) set(claim, ClaimState::promised, 0, bytes);
    if (is_locked) unlock();
    return bytes;
  }

  /// How much of the memory of a returnable claim others lack now; 0 if the claim is not this process's, or if nothing is lacking. `generation` is for wait(). Nothing is
  /// written, so no lock is needed: holders ask often, and would otherwise keep waiting calls from the lock.
  template <typename Look>
  std::uint64_t wanted_back(int claim, std::uint32_t& generation, Look look) {
    const std::lock_guard<std::mutex> guard(mutex_);
    read_table();
    generation = copy_.generation;
    const Claim* entry = own(claim);
    return entry == nullptr ? 0 : bytes_to_return(look(), others_than(claim), *entry);
  }

  /// Makes the holders of returnable memory look, because a call waits. This much must be free beside its minimum.
  void ask_back(int claim, std::uint64_t reserve_bytes);

  /// From then on the claim is never larger than the promised or held bytes.
  void change(int claim, ClaimState state, std::uint64_t held_bytes, std::uint64_t pending_bytes);
  void leave(int claim);

  /// Sleeps until a process that uses this table may have freed memory, or until the time has passed.
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
  ClaimTable copy_{};  // of the table, from lock() on
  std::array<Claim, kClaimsMax>
      own_{};  // this process's claims as they are: pid tells, and is another's after a fork
};

/// How many bytes a claim may hold, by all its pools. `others` are the other claims, `me` is the caller's own. Pure.
Allowance divide_pools(const std::vector<Pool>& pools, const std::vector<Member>& others, const Claim& me);

}  // namespace gray::memory
