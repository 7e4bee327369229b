// SPDX-License-Identifier: MIT
// progress: one changing line on a terminal while something takes long.
//
// Shows nothing unless the descriptor is a terminal, nothing in the first moments (short work stays silent),
// redraws a few times a second at most, and clears its line at the end, so that output looks the same as
// without.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

namespace gray::cli {

/// How far the work is. Not thread-safe: one thread owns it. At most one at a time on a terminal.
class Progress {
 public:
  /// `what` stands before the figures ("probing"); `total` units are expected, 0 when that is unknown.
  /// `fd` is borrowed.
  Progress(std::string what, std::uint64_t total, int fd = 2);

  /// The same with the terminal decided by the caller and the clock started at `start_ns`. For tests.
  Progress(std::string what, std::uint64_t total, int fd, bool is_terminal, std::uint64_t start_ns);

  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Changes what stands before the figures, from the next redraw on.
  void describe(std::string what) { what_ = std::move(what); }

  /// Says that `done` units are finished. Costs a coarse clock read; writes only when a redraw is due.
  void set(std::uint64_t done);

  /// The same with the time as a parameter. `now_ns` is of toolbox/base/clock.
  void set_at(std::uint64_t done, std::uint64_t now_ns);

  /// Clears the line, if one is shown. The destructor does it too.
  void finish();

 private:
  void draw(std::uint64_t done);

  std::string what_;
  std::uint64_t total_;
  int fd_;
  bool is_terminal_;
  bool is_shown_ = false;
  std::uint64_t next_draw_ns_;
};

}  // namespace gray::cli
