// SPDX-License-Identifier: MIT
// watch: prepares the reporting of large calls before the program starts: it starts the guard, and makes the memory that the guard shares with the process that handles the
// calls.
#pragma once

#include <memory>

#include "tools/discnice/notify/guard.hpp"
#include "tools/discnice/notify/listener.hpp"

namespace discnice::notify {

/// Only one thread may use it.
class Watch {
 public:
  /// Throws std::system_error if there is no memory. If no process can be started for the guard, is_ready() is false.
  Watch() : guard_(std::make_unique<Guard>(taken_)) {}

  [[nodiscard]] bool is_ready() const { return guard_->is_there(); }
  [[nodiscard]] TakenCalls& taken() { return taken_; }
  [[nodiscard]] Guard& guard() { return *guard_; }

  /// Starts a new guard if the old one was killed.
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
