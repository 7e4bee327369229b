// SPDX-License-Identifier: MIT
// follower: tells how large the heap of a program may be. It collects the facts, and follow_rule decides.
#pragma once

#include <cstdint>

#include "libgray/src/memory/claims.hpp"
#include "libgray/src/memory/follow_events.hpp"
#include "libgray/src/memory/follow_rule.hpp"
#include "libgray/src/memory/pools.hpp"
#include "toolbox/base/result.hpp"

namespace gray::memory {

/// The process whose heap is followed, and the heap's bounds.
struct Followed {
  // 0: this process. Also for another process, the free memory is the free memory in this process's control groups.
  std::uint32_t pid = 0;
  std::uint64_t min_bytes = 0;
  std::uint64_t max_bytes = ~std::uint64_t{0};
  PoolOptions pools;
};

/// The program's figures about its heap.
struct HeapUse {
  std::uint64_t heap_bytes = 0;     // memory that the heap has from the kernel
  std::uint64_t live_bytes = 0;     // of these bytes, the live ones after the last collection
  std::uint64_t collecting_ns = 0;  // time spent collecting since the last question
  bool is_collecting_known = false;
};

struct FollowAnswer {
  FollowVerdict verdict = FollowVerdict::stay;
  FollowReason reason = FollowReason::none;
  std::uint64_t bytes = 0;      // the size that the heap may have from now on
  std::int64_t room_bytes = 0;  // memory for a larger heap; below zero: the heap is too large
};

/// Follows one heap. One thread at a time. The memory that the heap may take until the next question is entered as a promise of this process in the user's claims, so that no
/// other process takes it.
class Follower {
 public:
  explicit Follower(const Followed& followed);
  ~Follower();
  Follower(const Follower&) = delete;
  Follower& operator=(const Follower&) = delete;

  /// -ENODATA: the accounts do not show how much memory is free; -ESRCH: the process is gone.
  base::Result<FollowAnswer> ask(const HeapUse& use);

  [[nodiscard]] int fd() const { return events_.fd(); }
  bool wait(std::uint64_t timeout_ns) { return events_.wait(timeout_ns); }

 private:
  struct Room {
    std::int64_t room_bytes;
    std::uint64_t margin_bytes;
  };
  Room least_room();
  void watch_paging(FollowLook& look, std::uint64_t elapsed_ns);
  void promise(std::uint64_t pending_bytes);

  Followed followed_;
  HostAccounts accounts_;
  Claims claims_;
  FollowEvents events_;
  int claim_ = -1;
  std::uint64_t promised_bytes_ = 0;
  FollowState state_;
  PagingCounters counters_;
  std::uint64_t asked_ns_ = 0;
};

}  // namespace gray::memory
