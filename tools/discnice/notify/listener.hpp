// SPDX-License-Identifier: MIT
// listener: the descriptor by which the kernel shows calls and takes the answers (seccomp_unotify(2)).
//
// Knowledge assumed: the kernel shows a call once. Whoever has taken it and ends owes the answer: the caller waits as long as anybody has the descriptor open. So what is taken and not
//   answered stands in memory that is shared with the guard, and the kernel writes it there itself. A caller that gets a signal is in that call no more, and makes it again afterwards:
//   so every answer is to let the call go, which does no harm twice.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include <linux/seccomp.h>

#include "toolbox/base/fd.hpp"

namespace discnice::notify {

/// Calls that were taken and have not been answered, in memory that is shared with processes forked later.
class TakenCalls {
 public:
  /// Throws std::system_error where there is no memory.
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

/// Several threads may use one.
class Listener {
 public:
  /// Takes over the descriptor. `taken` must outlive it.
  Listener(int fd, TakenCalls& taken);

  [[nodiscard]] int fd() const { return fd_.get(); }

  /// Takes the next call that is shown; waits for one. False: there was none after all, or there are too many that have not been answered. One thread.
  bool receive(seccomp_notif& shown);

  /// The kernel makes the call.
  void let_go(std::uint64_t id);

  /// Whether the caller is still in that call.
  [[nodiscard]] bool is_waiting(std::uint64_t id) const;

  /// In a process that was forked from the one that took calls, and has ended: lets go what that had taken, and all others, until nobody makes any more. `tell` is called before
  /// the first. Allocates nothing.
  void let_all_go(void (*tell)());

 private:
  gray::base::ScopedFd fd_;
  TakenCalls& taken_;
};

}  // namespace discnice::notify
