// SPDX-License-Identifier: MIT
// watch: the preparations for a program whose large calls will be shown: the guard, and the memory that the guard shares with the supervisor of the calls.
#pragma once

#include <memory>

#include "tools/discnice/notify/guard.hpp"
#include "tools/discnice/notify/listener.hpp"

namespace discnice::notify {

/// All functions are to be called by the same thread.
class Watch {
 public:
  /// Throws std::system_error when there is no memory. When no process can be started for the guard, is_ready() is false.
  Watch() : guard_(std::make_unique<Guard>(taken_)) {}

  [[nodiscard]] bool is_ready() const { return guard_->is_there(); }
  [[nodiscard]] TakenCalls& taken() { return taken_; }
  [[nodiscard]] Guard& guard() { return *guard_; }

  /// Starts a new guard when the guard was killed.
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
