// SPDX-License-Identifier: MIT
// allocator: gb_alloc: joins ceiling, claim and probe, and keeps the list of granted memory.
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
  // For promise() and estimate(): the memory that a program needs beside its grant, for example for its start. This much more must be free, and is promised together with the
  // grant.
  std::uint64_t beside_bytes = 0;
};

struct Grant {
  unsigned char* address;
  std::uint64_t bytes;
};

/// How much would be granted, and which limit decides that.
struct Estimate {
  std::uint64_t bytes;
  PoolKind kind;               // of the tightest pool
  std::uint64_t margin_bytes;  // kept free in it
};

/// The value of GRAY_MAC: "full", "time" or a list such as "no-stall,no-claims". -EINVAL for anything else. No text means full.
base::Result<std::uint32_t> parse_signals(const char* text);

/// How much room the tightest pool would have if nobody held memory. -ENODATA: the accounts do not tell.
base::Result<std::uint64_t> capacity_bytes(const PoolOptions& options);

/// Rounds min up and max down to the multiple. -EINVAL: min is above max, before or after rounding; or multiple is 0.
int round_request(Request& request);

/// Grants memory. Any thread. A child of fork() may use and free its copy of the parent's memory; the parent's memory does not change.
class Allocator {
 public:
  /// `record` tells what was measured on this host. It is called once, at the first request. Without it nothing was measured.
  explicit Allocator(std::function<TouchTimes()> record = {})
      : claims_(kClaimTableName), record_(std::move(record)) {}

  /// -EINVAL as round_request(). -ENOMEM: a limit of this process forbids the minimum, or the pool is smaller than the minimum even if nobody else uses it. -EAGAIN: the minimum
  /// is not free now. -ETIMEDOUT: it was not free in time. -EDEADLK: the call would wait for others without a limit, while this process holds memory for which they may wait.
  /// -ENODATA: there are no accounts, and no page of this process can be paged out, so no touch becomes slow before a process is killed.
  base::Result<Grant> allocate(Request request);

  /// How much allocate() would be allowed now. Takes and probes no memory. Errors as allocate(); -ENODATA: the accounts do not tell.
  base::Result<Estimate> estimate(Request request);

  /// Enters a promise to use no more than the grant and the memory beside it; takes no memory. Returns the number of the claim, or -1 if there is no table of claims. Errors are
  /// those of estimate(), in the status.
  base::Result<Grant> promise(Request request, int& claim);
  /// Sets how much of the promise, including the memory beside the grant, is still to be touched.
  void change_promise(int claim, std::uint64_t pending_bytes);
  void end_promise(int claim);

  /// -EINVAL: nothing was granted at this address, or it was freed already.
  int release(void* address);
  /// Keeps the first bytes. -EINVAL also for 0 bytes and for more than there are.
  int shrink(void* address, std::uint64_t bytes);

  /// How much of a returnable grant others lack now, in whole pages; 0 also for a grant that is not returnable. Waits up to the time until others lack memory. -EINVAL as
  /// release().
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
