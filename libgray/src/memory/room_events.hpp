// SPDX-License-Identifier: MIT
// room_events: the events that tell a process waiting for memory to check the accounts again, so that it need not check all the time.
//
// Knowledge assumed: a process with claims announces when it gives memory back. A control group of version 1 reports when its use passes a number of bytes, also downwards.
// Pressure stall information reports that a task waits for memory; after that the kernel has paged memory out or killed a process, and so freed
// memory.
// Output observed: these three events, by descriptors.
// Inference drawn: that the accounts should be checked. The accounts decide.
// What breaks it: memory that becomes free where no such group reports it (version 2, the host itself), since no event reports that pressure has ended. There, and where a
// descriptor cannot be opened, the accounts are still checked at regular times.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libgray/src/memory/claims.hpp"
#include "libgray/src/memory/pools.hpp"
#include "libgray/src/os/memory_os.hpp"

namespace gray::memory {

/// The events of one waiting process. If the claims cannot be watched, this object does nothing, is_open() is false, and only Claims::wait() can be used.
class RoomEvents {
 public:
  RoomEvents(const Claims& claims, const HostAccounts& accounts, bool is_pressure_wanted);
  ~RoomEvents();
  RoomEvents(const RoomEvents&) = delete;
  RoomEvents& operator=(const RoomEvents&) = delete;

  [[nodiscard]] bool is_open() const { return !sources_.empty(); }

  /// Requests an event for the moment at which these pools have `bytes` of free memory. True: the pool that lacks the
  /// memory now will report it.
  bool expect(const std::vector<Pool>& pools, std::uint64_t bytes);

  /// Sleeps until an event occurs, or until the time has passed.
  void wait(std::uint64_t timeout_ns);

 private:
  std::vector<os::EventSource> sources_;  // the claims first
  os::EventSource usage_{-1, true};       // the event of the group that lacks most
  std::uint64_t expected_bytes_ = 0;      // the use at which that event was requested
  std::string expected_group_;
};

}  // namespace gray::memory
