// SPDX-License-Identifier: MIT
// follow_events: events that tell a program that follows the free memory to ask again earlier than planned.
//
// Knowledge assumed: a process that uses the claims reports when it gives memory back or takes it. Pressure tells that somebody waits for memory. To change the limit of a
// control group, a program writes to a file, and the kernel reports a write to any file.
// Output observed: those three, by descriptors.
// Inference drawn: that a question is due. Its answer decides.
// What breaks it: memory that is taken without pressure, by programs that do not use the claims. There the question by the clock stays.
#pragma once

#include <cstdint>
#include <vector>

#include "libgray/src/memory/claims.hpp"
#include "libgray/src/memory/pools.hpp"
#include "libgray/src/os/memory_os.hpp"

namespace gray::memory {

/// The events of one follower.
class FollowEvents {
 public:
  FollowEvents(const Claims& claims, const HostAccounts& accounts);
  ~FollowEvents();
  FollowEvents(const FollowEvents&) = delete;
  FollowEvents& operator=(const FollowEvents&) = delete;

  /// A descriptor that becomes readable at an event. It belongs to this object. -ENOTSUP: there are no such events.
  [[nodiscard]] int fd() const { return joined_fd_; }

  /// Clears the events.
  void forget();

  /// Sleeps until an event, or until the time has passed. True: there was an event, and it is cleared.
  bool wait(std::uint64_t timeout_ns);

 private:
  std::vector<os::EventSource> sources_;
  int joined_fd_;
};

}  // namespace gray::memory
