// SPDX-License-Identifier: MIT
// follow_events: the events by which a follower learns that it should ask again before its time.
//
// Knowledge assumed: a process with claims announces when it takes memory or gives it back. Memory pressure shows that a task waits for memory. To change the limit of a control
// group a file is written, and the kernel reports writes to that file (inotify).
// Output observed: these three events, by descriptors.
// Inference drawn: that the follower should ask. The answer to its question decides.
// What breaks it: programs without claims can take free memory without causing pressure. So the follower also asks at regular
// times.
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

  /// A descriptor that becomes readable when one of the events occurs. This object owns it. -ENOTSUP: there is no descriptor.
  [[nodiscard]] int fd() const { return joined_fd_; }

  /// Discards the events that have occurred.
  void forget();

  /// Sleeps until an event occurs, or until the time has passed. True: an event occurred, and was discarded.
  bool wait(std::uint64_t timeout_ns);

 private:
  std::vector<os::EventSource> sources_;
  int joined_fd_;
};

}  // namespace gray::memory
