// SPDX-License-Identifier: MIT
// watch: what is made ready before a program starts whose large calls are to be shown: the guard, and what it shares with who looks at the calls.
#pragma once

#include <memory>

#include "tools/discnice/notify/guard.hpp"
#include "tools/discnice/notify/listener.hpp"

namespace discnice::notify {

/// One thread.
class Watch {
 public:
  /// Throws std::system_error where there is no memory. Without a process for the guard is_ready() is false.
  Watch() : guard_(std::make_unique<Guard>(taken_)) {}

  [[nodiscard]] bool is_ready() const { return guard_->is_there(); }
  [[nodiscard]] TakenCalls& taken() { return taken_; }
  [[nodiscard]] Guard& guard() { return *guard_; }

  /// Somebody may have killed the guard: then there is a new one.
  void renew_guard(int listener_fd) {
    if (!guard_->has_ended()) return;
    guard_ = std::make_unique<Guard>(taken_);
    if (guard_->is_there()) give_listener(guard_->socket(), listener_fd);
  }

 private:
  TakenCalls taken_;
  std::unique_ptr<Guard> guard_;
};

}  // namespace discnice::notify
