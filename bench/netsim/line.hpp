// SPDX-License-Identifier: MIT
// line: one direction of an emulated line, without packets, clock or thread. It gets the size of a packet and an instant, and returns when the packet arrives.
//
// A packet waits until the line is free, occupies it for length / rate, and arrives half a round trip later. The queue is counted in bytes that have not left yet, including the
// packet on the line. A packet that does not fit is dropped (tail drop). Whether a packet is lost is decided before the queue, because a radio link would lose it before the
// bottleneck.
#pragma once

#include <cstdint>
#include <optional>
#include <random>

namespace netsim {

/// The properties of the line. They are the same in both directions.
struct LineShape {
  std::uint64_t rate_bytes_per_s = 0;
  std::uint64_t round_trip_ns = 20'000'000;
  std::uint64_t queue_bytes = 600'000;
  double loss = 0;  // the share of packets, 0 to 1
};

/// The counters of one direction.
struct LineCount {
  std::uint64_t packets = 0;  // packets that were let in
  std::uint64_t bytes = 0;
  std::uint64_t dropped = 0;  // dropped because the queue was full
  std::uint64_t lost = 0;
  std::uint64_t queue_bytes_max = 0;
};

class Line {
 public:
  /// With the same seed the same packets are lost.
  Line(const LineShape& shape, std::uint64_t seed);
  /// The instant at which a packet that enters the line at `now_ns` arrives at the other end. Empty if it is lost or dropped.
  /// Instants must not go back.
  std::optional<std::uint64_t> admit(std::uint64_t now_ns, std::uint64_t length_bytes);
  [[nodiscard]] const LineCount& count() const { return count_; }

 private:
  [[nodiscard]] bool is_lost();
  LineShape shape_;
  LineCount count_;
  std::uint64_t free_ns_ = 0;  // the instant at which the last byte that was let in has left
  std::mt19937_64 random_;
};

}  // namespace netsim
