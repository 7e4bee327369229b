// SPDX-License-Identifier: MIT
// allocator: gb_alloc: ceiling, claim and probe put together, and the list of what is granted.
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
  bool is_returnable = false;  // what is granted above the minimum may be asked back
  // Of promise() and estimate(): what a program takes beside the memory it is granted, to start for instance. So much more has
  // to be there, and is promised with the grant.
  std::uint64_t beside_bytes = 0;
};

struct Grant {
  unsigned char* address;
  std::uint64_t bytes;
};

/// What would be granted, and what says so.
struct Estimate {
  std::uint64_t bytes;
  PoolKind kind;               // of the tightest pool
  std::uint64_t margin_bytes;  // kept free in it
};

/// GRAY_MAC: "full", "time" or a list such as "no-stall,no-claims". -EINVAL for anything else; no text is full.
base::Result<std::uint32_t> parse_signals(const char* text);

/// What the tightest pool would have room for if nobody held anything. -ENODATA: the accounts do not tell.
base::Result<std::uint64_t> capacity_bytes(const PoolOptions& options);

/// Rounds min up and max down to the multiple. -EINVAL: min is above max, before or behind that; or multiple is 0.
int round_request(Request& request);

/// Grants memory. Any thread. A child of fork() may use and free what its parent was granted, which leaves the
/// parent's alone.
class Allocator {
 public:
  /// `record` tells what was measured of this host; it is asked once, at the first request. None: nothing was.
  explicit Allocator(std::function<TouchTimes()> record = {})
      : claims_(kClaimTableName), record_(std::move(record)) {}

  /// -EINVAL as round_request(); -ENOMEM: a limit of this process forbids the minimum, or the pool is smaller than
  /// it even when nobody else is there; -EAGAIN: it is not there now; -ETIMEDOUT: it was not till the time had
  /// passed; -EDEADLK: it would wait without end for others while it holds what they may wait for; -ENODATA: without the accounts, where nothing of this process can be put out: then nothing gets slow before
  /// somebody is killed.
  base::Result<Grant> allocate(Request request);

  /// What allocate() would be allowed now; takes and probes nothing. Errors as allocate(); -ENODATA: the accounts do not tell.
  base::Result<Estimate> estimate(Request request);

  /// Enters a promise to use no more than granted and what is used beside it, without memory. The claim's number, or -1 where no
  /// notes are shared; errors as estimate(), in the status.
  base::Result<Grant> promise(Request request, int& claim);
  /// So much of it, what is used beside the grant included, is still to be touched.
  void change_promise(int claim, std::uint64_t pending_bytes);
  void end_promise(int claim);

  /// -EINVAL: nothing of this address is granted, or it was freed already.
  int release(void* address);
  /// Keeps the first bytes. -EINVAL also for 0 and for more than there are.
  int shrink(void* address, std::uint64_t bytes);

  /// How much of a returnable grant others lack now, in whole pages; 0 also for one that is not returnable. Waits for that up to the time. -EINVAL as release().
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
    std::uint64_t min_bytes;  // that stays
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
