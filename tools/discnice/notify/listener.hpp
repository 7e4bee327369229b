// SPDX-License-Identifier: MIT
// listener: the descriptor by which the kernel reports calls and receives the answers (seccomp_unotify(2)).
//
// Knowledge assumed: the kernel shows a call once. When the process that has taken a call ends without an answer, the caller waits as long as any process has the
//   descriptor open. So calls that were taken and not answered are noted in memory that is shared with the guard, and the kernel itself writes these notes. A
//   caller that gets a signal leaves the call and makes it again afterwards. So every answer lets the call go, and a second answer to the same call is
//   harmless.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include <linux/seccomp.h>

#include "toolbox/base/fd.hpp"

namespace discnice::notify {

/// Calls that were taken and not answered yet, in memory that is shared with processes forked later.
class TakenCalls {
 public:
  /// Throws std::system_error when there is no memory.
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
  /// Takes over the descriptor. `taken` must live longer than this object.
  Listener(int fd, TakenCalls& taken);

  [[nodiscard]] int fd() const { return fd_.get(); }

  /// Waits for the next call that is shown, and takes it. Returns false when no call was waiting, or when too many calls were not answered yet. Only one thread
  /// may call it.
  bool receive(seccomp_notif& shown);

  /// Lets the kernel make the call.
  void let_go(std::uint64_t id);

  /// Whether the caller is still in that call.
  [[nodiscard]] bool is_waiting(std::uint64_t id) const;

  /// To be called in a forked child of the process that took calls, when that process has ended. Lets go the calls that were taken and all further calls, until
  /// no process uses the filter any more. Calls `tell` before the first call. Allocates nothing.
  void let_all_go(void (*tell)());

 private:
  gray::base::ScopedFd fd_;
  TakenCalls& taken_;
};

}  // namespace discnice::notify
