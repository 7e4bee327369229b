// SPDX-License-Identifier: MIT
// listener: the descriptor by which the kernel shows calls and takes the answers (seccomp_unotify(2)).
//
// Knowledge assumed: the kernel shows a call once. Whoever has taken it and ends owes the answer: the caller waits as long as anybody has the descriptor open. So what is taken and not
//   answered stands in memory that is shared with the guard, and the kernel writes it there itself.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include <linux/seccomp.h>

#include "toolbox/base/fd.hpp"

namespace discnice::notify {

/// Several threads may use one.
class Listener {
 public:
  /// Takes over the descriptor. Throws std::system_error where there is no memory.
  explicit Listener(int fd);
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  [[nodiscard]] int fd() const { return fd_.get(); }

  /// Takes the next call that is shown; waits for one. False: there was none after all, or there are too many that have not been answered. One thread.
  bool receive(seccomp_notif& shown);

  /// The kernel makes the call as it was asked to.
  void let_go(std::uint64_t id);

  /// The call is made already: the caller gets this value.
  void answer(std::uint64_t id, std::int64_t value);

  /// Whether the caller is still in that call.
  [[nodiscard]] bool is_waiting(std::uint64_t id) const;

  /// In a process that was forked from the one that took calls, and has ended: lets go what that had taken, and all others, until nobody makes any more. `tell` is called before
  /// the first. Allocates nothing.
  void let_all_go(void (*tell)());

 private:
  static constexpr std::size_t kTakenMax = 128;
  static constexpr std::size_t kShownBytesMax = 248;
  struct Taken {
    alignas(seccomp_notif) std::byte shown[kShownBytesMax];  // begins with the number of the call; 0: free
    std::atomic<bool> is_used;
  };

  void send(const seccomp_notif_resp& answer);

  gray::base::ScopedFd fd_;
  std::size_t shown_bytes_;
  Taken* taken_;
};

}  // namespace discnice::notify
