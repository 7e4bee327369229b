// SPDX-License-Identifier: MIT
// progress: one changing line on a terminal while work takes long.
//
// Shows nothing unless the descriptor is a terminal. Shows nothing in the first half second, so that short work shows no line. Redraws ten times a second at
// most. Clears the line at the end, so that the output is the same as without a progress line.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

namespace gray::cli {

/// Shows how much of the work is done. Not thread-safe: one thread owns it. A terminal may have at most one object at a time.
class Progress {
 public:
  /// `what` is printed before the figures ("probing"); `total` is the expected number of units, and 0 when
  /// the number is not known.
  /// `fd` is borrowed.
  Progress(std::string what, std::uint64_t total, int fd = 2);

  /// Same as the first constructor, but the caller decides whether `fd` is a terminal, and the clock starts at `start_ns`. For
  /// tests.
  Progress(std::string what, std::uint64_t total, int fd, bool is_terminal, std::uint64_t start_ns);

  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Changes the text before the figures, from the next redraw on.
  void describe(std::string what) { what_ = std::move(what); }

  /// Tells that `done` units are finished. Costs a coarse clock read; writes only when a redraw is due.
  void set(std::uint64_t done);

  /// Same as set(), with the time as a parameter. `now_ns` is of toolbox/base/clock.
  void set_at(std::uint64_t done, std::uint64_t now_ns);

  /// Clears the line, if a line is shown. The destructor also does this.
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
