// SPDX-License-Identifier: MIT
// claims: notes that the processes of a user share, so that several who ask for memory at once do not count the
// same free bytes.
//
// It is advisory: it helps those who take part, and whoever cannot (no /dev/shm, somebody else's file, a lock that is not given
// back) goes on without. Each user has a table of his own, which nobody else can open: users see each other by what the kernel
// counts, the room of the pools and how it shrinks, and not by what they say of themselves.
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
/// The table's name: all who ask for memory or promise to use some share it.
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

/// One claim, in memory that processes of different releases share: the name of the table changes with its form.
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

/// Of a claim, over its other fields.
std::uint64_t checksum_of(const Claim& claim);

/// A claim that counts, with what the kernel says of its process.
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

/// How long one call may still wait for the table's lock, however often it is taken. Then the call goes on without it.
struct Patience {
  std::uint64_t left_ns = 500'000'000;  // it is held while a few files are read
};

/// What has to be free beside the minimum of one who asks with other options than kCommonAccount, so that he finds his room by them: `own` are his pools by his options, `common` by that account. Pure.
std::uint64_t reserve_for(const std::vector<Pool>& own, const std::vector<Pool>& common);

/// What a returnable claim should give back now, of pools by kCommonAccount. Others lack what those who wait are short of for their minima, in the order of arrival and as far as all that is returnable can serve them;
/// and what the accounts show to be missing. Whoever holds most gives first, so that those who hold returnable memory are left with equal parts, but with their minima at least. Pure.
std::uint64_t bytes_to_return(const std::vector<Pool>& pools, const std::vector<Member>& others,
                              const Claim& me);

/// The table of this process's user. Any thread. After fork() a child's claims are its own: those of its parent stay
/// as they are whatever the child does. lock_for_fork() and unlock_after_fork() belong around a fork.
class Claims {
 public:
  /// Claims by nobody: nothing is shared.
  Claims() = default;
  explicit Claims(const char* name);

  [[nodiscard]] bool is_shared() const { return table_.address != nullptr; }

  /// Enters a claim; its number, or -1 where there is no table or no room in it.
  int enter(ClaimState state, std::uint64_t min_bytes, std::uint64_t max_bytes);

  /// What the claim may grow to, given what the host's accounts say now; notes what it holds. The accounts are
  /// read by `look` under the lock, so that nobody else's step falls between. With claim -1: the whole room.
  template <typename Look>
  Allowance allow(Patience& patience, int claim, std::uint64_t held_bytes, std::uint64_t max_bytes,
                  Look look) {
    std::unique_lock<std::mutex> guard(mutex_, std::defer_lock);
    const bool is_locked = lock(guard, patience);
    const Allowance allowance = divide(claim, held_bytes, max_bytes, look());
    if (is_locked) unlock();
    return allowance;
  }

  /// As allow(), and turns the claim into a promise of what `cut` makes of the allowance in the same step, so that two who ask
  /// at once are never promised the same bytes. 0 of `cut` promises nothing. Returns what was promised.
  template <typename Look, typename Cut>
  std::uint64_t promise(Patience& patience, int claim, std::uint64_t max_bytes, Look look, Cut cut) {
    std::unique_lock<std::mutex> guard(mutex_, std::defer_lock);
    const bool is_locked = lock(guard, patience);
    const std::uint64_t bytes = cut(divide(claim, 0, max_bytes, look()));
    if (bytes != 0) set(claim, ClaimState::promised, 0, bytes);
    if (is_locked) unlock();
    return bytes;
  }

  /// How much of what a returnable claim holds others lack now; 0: it is none of this process's, or none. `generation` is for wait(). Nothing is written,
  /// so this needs no lock: those who hold ask often, and would keep those who wait from it.
  template <typename Look>
  std::uint64_t wanted_back(int claim, std::uint32_t& generation, Look look) {
    const std::lock_guard<std::mutex> guard(mutex_);
    read_table();
    generation = copy_.generation;
    const Claim* entry = own(claim);
    return entry == nullptr ? 0 : bytes_to_return(look(), others_than(claim), *entry);
  }

  /// Has those who hold returnable memory look: somebody waits, and so much has to be free beside his minimum.
  void ask_back(int claim, std::uint64_t reserve_bytes);

  /// What was promised, or held, is the claim's most from then on.
  void change(int claim, ClaimState state, std::uint64_t held_bytes, std::uint64_t pending_bytes);
  void leave(int claim);

  /// Sleeps till memory may have become free, by those who take part, or till the time has passed.
  void wait(std::uint32_t generation, std::uint64_t timeout_ns);

  /// A descriptor that gets readable when wait() would end before its time.
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

/// The bytes an asker may hold, by all its pools. `others` are the other claims, `me` the asker's own. Pure.
Allowance divide_pools(const std::vector<Pool>& pools, const std::vector<Member>& others, const Claim& me);

}  // namespace gray::memory
