// SPDX-License-Identifier: MIT
// line: one direction of an emulated line, without packets, clock or thread: told of a packet and an instant, it answers when that packet
// is there.
//
// A packet waits until the line is free, occupies it for length / rate, and is at the other end half a round trip later. The queue is
// counted in bytes that have not left yet, the packet on the line among them; what does not fit is dropped (tail drop). A lost packet is
// drawn before the queue, as a radio link would lose it before the bottleneck.
#pragma once

#include <cstdint>
#include <optional>
#include <random>

namespace netsim {

/// What the line is to be; both directions have the same.
struct LineShape {
  std::uint64_t rate_bytes_per_s = 0;
  std::uint64_t round_trip_ns = 20'000'000;
  std::uint64_t queue_bytes = 600'000;
  double loss = 0;  // the share of packets, 0 to 1
};

/// What one direction has done.
struct LineCount {
  std::uint64_t packets = 0;  // that were let in
  std::uint64_t bytes = 0;
  std::uint64_t dropped = 0;  // because the queue was full
  std::uint64_t lost = 0;
  std::uint64_t queue_bytes_max = 0;
};

class Line {
 public:
  /// The same seed loses the same packets.
  Line(const LineShape& shape, std::uint64_t seed);
  /// When a packet that is here at `now_ns` is at the other end, or nothing if it never is. Instants must not go back.
  std::optional<std::uint64_t> admit(std::uint64_t now_ns, std::uint64_t length_bytes);
  [[nodiscard]] const LineCount& count() const { return count_; }

 private:
  [[nodiscard]] bool is_lost();
  LineShape shape_;
  LineCount count_;
  std::uint64_t free_ns_ = 0;  // when the last byte that was let in has left
  std::mt19937_64 random_;
};

}  // namespace netsim
