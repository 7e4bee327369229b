// SPDX-License-Identifier: MIT
// allocator: implements gb_alloc: puts accounts, claims and probe together, and keeps the list of grants.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>

#include "libgray/src/memory/claims.hpp"
#include "libgray/src/memory/probe.hpp"
#include "toolbox/base/result.hpp"

namespace gray::memory {

struct Request {
  std::uint64_t min_bytes = 0;
  std::uint64_t max_bytes = 0;
  std::uint64_t multiple_bytes = 1;
  std::uint64_t timeout_ns = 0;  // how long to wait for the minimum
  std::uint64_t margin_bytes = 0;
  std::uint32_t signals = kSignalsAll;
  CachePolicy cache = CachePolicy::share;
  bool wants_huge_pages = false;
  bool wants_canary = false;
  bool has_files = false;      // PoolOptions
  bool is_returnable = false;  // the grant above the minimum may be asked back
  // For promise() and estimate(): the memory that a program uses in addition to its grant, for instance to start. This amount must be free in addition, and is
  // promised together with the grant.
  std::uint64_t beside_bytes = 0;
};

struct Grant {
  unsigned char* address;
  std::uint64_t bytes;
};

/// The amount that would be granted, and the pool that limits it.
struct Estimate {
  std::uint64_t bytes;
  PoolKind kind;               // the kind of the tightest pool
  std::uint64_t margin_bytes;  // how much is kept free in that pool
};

/// Reads a value of GRAY_MAC: "full", "time" or a list such as "no-stall,no-claims". A null or empty text means "full"; any other text is -EINVAL.
base::Result<std::uint32_t> parse_signals(const char* text);

/// The free memory of the tightest pool if no process held memory in it. -ENODATA: the accounts do not tell it.
base::Result<std::uint64_t> capacity_bytes(const PoolOptions& options);

/// Rounds min up and max down to the multiple. -EINVAL: min is above max, before or after the rounding; or the multiple is 0.
int round_request(Request& request);

/// Grants memory. Any thread. A child of fork() may use and free the grants of its parent. The parent's memory stays unchanged.
class Allocator {
 public:
  /// `record` gives the times that were measured on this host. It is called once, at the first request. If it is empty, nothing was measured.
  explicit Allocator(std::function<TouchTimes()> record = {})
      : claims_(kClaimTableName), record_(std::move(record)) {}

  /// -EINVAL as round_request(); -ENOMEM: a limit of this process forbids the minimum, or a pool is smaller than the minimum even without other processes; -EAGAIN: the minimum
  /// is not free now; -ETIMEDOUT: the minimum was not free before the time had passed; -EDEADLK: this process would wait without a limit while it holds returnable memory for
  /// which others may wait; -ENODATA: the accounts are switched off, and no memory of this process can be paged out, so that no touch gets slow before the kernel kills a
  /// process.
  base::Result<Grant> allocate(Request request);

  /// The amount that allocate() would grant now; takes and probes no memory. Errors as allocate(); -ENODATA: the accounts do not tell it.
  base::Result<Estimate> estimate(Request request);

  /// Enters a promise to use no more than the grant and the additional memory. No memory is allocated. `claim` is the claim's number, or -1 where no claims are
  /// shared. Errors as estimate(), in the status.
  base::Result<Grant> promise(Request request, int& claim);
  /// Sets how much of the promise is still to be touched, including the additional memory.
  void change_promise(int claim, std::uint64_t pending_bytes);
  void end_promise(int claim);

  /// -EINVAL: there is no grant with this address, or it was freed already.
  int release(void* address);
  /// Keeps the first `bytes` of the grant. -EINVAL also for 0, and for more bytes than the grant has.
  int shrink(void* address, std::uint64_t bytes);

  /// How much of a returnable grant other processes need now, in whole pages; 0 also for a grant that is not returnable. Waits up to `timeout_ns` until an amount is needed.
  /// -EINVAL as release().
  base::Result<std::uint64_t> wanted_back(void* address, std::uint64_t timeout_ns);

  void lock_for_fork();
  void unlock_after_fork();

 private:
  struct Holding {
    std::uint64_t mapped_bytes;
    std::uint64_t bytes;
    int claim;
    std::uint32_t pid;
    bool is_returnable;
    std::uint64_t min_bytes;  // the part that is never asked back
  };
  class Turn;

  base::Result<TouchTimes> touch_times(const Request& request);
  bool holds_returnable();
  base::Result<Grant> probe_for(const Request& request, Turn& turn);

  Claims claims_;
  std::function<TouchTimes()> record_;
  TouchTimes times_;  // all 0 until the first request
  std::mutex mutex_;
  std::map<unsigned char*, Holding> holdings_;
};

}  // namespace gray::memory
