// SPDX-License-Identifier: MIT
// room_events: events that tell a waiting call that it is worth looking for memory again, so that it need not look all the time.
//
// Knowledge assumed: a process that uses the claims reports when it gives memory back. A control group of version 1 tells when its use
// passes a number of bytes, on its way down, too. Pressure stall information tells that somebody waits for memory, after which the
// kernel has pushed pages out, or killed, and so made room.
// Output observed: those three, by descriptors.
// Inference drawn: that a look is due. The look itself decides.
// What breaks it: memory may become free without an event, if no such group reports it (version 2, the host itself), because nothing reports the end of pressure. Then the call
// looks at fixed intervals, as it does if it cannot get a descriptor.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libgray/src/memory/claims.hpp"
#include "libgray/src/memory/pools.hpp"
#include "libgray/src/os/memory_os.hpp"

namespace gray::memory {

/// The events of one waiting call. It does nothing if the claims cannot be watched: then is_open() is false, and only Claims::wait() is left.
class RoomEvents {
 public:
  RoomEvents(const Claims& claims, const HostAccounts& accounts, bool is_pressure_wanted);
  ~RoomEvents();
  RoomEvents(const RoomEvents&) = delete;
  RoomEvents& operator=(const RoomEvents&) = delete;

  [[nodiscard]] bool is_open() const { return !sources_.empty(); }

  /// Asks for an event when one of these pools has this much room. True: every pool that lacks room now will give an event.
  bool expect(const std::vector<Pool>& pools, std::uint64_t bytes);

  /// Sleeps until an event, or until the time has passed.
  void wait(std::uint64_t timeout_ns);

 private:
  std::vector<os::EventSource> sources_;  // the claims first
  os::EventSource usage_{-1, true};       // of the group that lacks most
  std::uint64_t expected_bytes_ = 0;      // of its use
  std::string expected_group_;
};

}  // namespace gray::memory
