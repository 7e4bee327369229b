// SPDX-License-Identifier: MIT
// follow_events: what tells who follows the room that he should ask again before his time.
//
// Knowledge assumed: who takes part in the claims says when he gives back or takes. Pressure tells that somebody waits for memory. Whoever moves the limit
// of a control group writes to a file, and the kernel tells of a write to any file, of this one, too.
// Output observed: those three, by descriptors.
// Inference drawn: that a question is due. Its answer decides.
// What breaks it: room that goes without pressure, by programs that do not take part. There the question by the clock stays.
#pragma once

#include <cstdint>
#include <vector>

#include "libgray/src/memory/claims.hpp"
#include "libgray/src/memory/pools.hpp"
#include "libgray/src/os/memory_os.hpp"

namespace gray::memory {

/// One follower's.
class FollowEvents {
 public:
  FollowEvents(const Claims& claims, const HostAccounts& accounts);
  ~FollowEvents();
  FollowEvents(const FollowEvents&) = delete;
  FollowEvents& operator=(const FollowEvents&) = delete;

  /// A descriptor that gets readable when one of them tells; it stays this object's. -ENOTSUP: there is none.
  [[nodiscard]] int fd() const { return joined_fd_; }

  /// Takes what they have told.
  void forget();

  /// Sleeps till something is told, or till the time has passed. True: it was told, and is taken.
  bool wait(std::uint64_t timeout_ns);

 private:
  std::vector<os::EventSource> sources_;
  int joined_fd_;
};

}  // namespace gray::memory
