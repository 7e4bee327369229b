// SPDX-License-Identifier: MIT
// carrier: takes packets from one end of the line, and passes them to the other end at the time that the line says.
//
// It sleeps until the next packet is due and never passes a packet on before that. So a late packet is late by one wake-up only. It asks for a
// scheduling class before ordinary work (SCHED_FIFO), and goes on without that class where it is refused.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>

#include "bench/netsim/interface.hpp"
#include "bench/netsim/line.hpp"
#include "toolbox/base/fd.hpp"

namespace netsim {

class Carrier {
 public:
  Carrier(const LineShape& shape, gray::base::ScopedFd near, gray::base::ScopedFd far);
  /// Carries packets until `is_over` returns true. This function is called whenever one of these two descriptors can be read.
  void carry_until(const std::function<bool()>& is_over, int first_fd, int second_fd);
  [[nodiscard]] const LineCount& up() const { return up_.line.count(); }      ///< from near to far
  [[nodiscard]] const LineCount& down() const { return down_.line.count(); }  ///< from far to near
  [[nodiscard]] std::uint64_t late_ns_max() const { return late_ns_max_; }  ///< the longest delay of a packet

 private:
  struct Packet {
    std::uint64_t due_ns;
    std::size_t length;
    std::array<char, kMtuBytes> bytes;
  };
  struct Direction {
    Line line;
    int from_fd;
    int to_fd;
    std::deque<Packet> packets;  // ordered by due_ns, since no packet overtakes another one
  };
  void give(Direction& direction);
  static void take(Direction& direction);
  [[nodiscard]] std::uint64_t next_due_ns() const;

  gray::base::ScopedFd near_;
  gray::base::ScopedFd far_;
  Direction up_;
  Direction down_;
  std::uint64_t late_ns_max_ = 0;
};

}  // namespace netsim
