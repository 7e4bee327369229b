// SPDX-License-Identifier: MIT
// listener: the descriptor by which the kernel reports calls and receives the answers (seccomp_unotify(2)).
//
// Knowledge assumed: the kernel reports a call once. If the process that has taken a call ends without an answer, the caller waits as long as any process has the descriptor
// open. So calls without an answer are noted in memory that is shared with the guard, and the kernel itself writes them there. A caller that gets a signal leaves the call and
// makes it again afterwards. So every answer is to let the call go on, which does no harm if it is given twice.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include <linux/seccomp.h>

#include "toolbox/base/fd.hpp"

namespace discnice::notify {

/// Calls that were taken and not answered, in memory that is shared with processes forked later.
class TakenCalls {
 public:
  /// Throws std::system_error if there is no memory.
  TakenCalls();
  ~TakenCalls();
  TakenCalls(const TakenCalls&) = delete;
  TakenCalls& operator=(const TakenCalls&) = delete;

  static constexpr std::size_t kMax = 128;
  static constexpr std::size_t kShownBytesMax = 248;
  struct Place {
    alignas(seccomp_notif) std::byte shown[kShownBytesMax];  // begins with the number of the call
    std::atomic<bool> is_used;
  };
  [[nodiscard]] Place* begin() const { return places_; }
  [[nodiscard]] Place* end() const { return places_ + kMax; }

 private:
  Place* places_;
};

/// Several threads may use one object.
class Listener {
 public:
  /// Takes ownership of the descriptor. `taken` must outlive this object.
  Listener(int fd, TakenCalls& taken);

  [[nodiscard]] int fd() const { return fd_.get(); }

  /// Waits for the next reported call and takes it. False if there was no call after all, or if too many calls have no answer yet. One thread.
  bool receive(seccomp_notif& shown);

  /// Lets the kernel make the call.
  void let_go(std::uint64_t id);

  /// Whether the caller is still in that call.
  [[nodiscard]] bool is_waiting(std::uint64_t id) const;

  /// For a process that was forked from the process that took calls, after that process has ended. Lets the taken calls go on, and all later ones, until no process makes any
  /// more. `tell` is called before the first. Allocates nothing.
  void let_all_go(void (*tell)());

 private:
  gray::base::ScopedFd fd_;
  TakenCalls& taken_;
};

}  // namespace discnice::notify
