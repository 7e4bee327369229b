// SPDX-License-Identifier: MIT
// base_delay: the round trip of a path whose queues are empty, as the least that was seen of late.
//
// Knowledge assumed: a queue only adds to a round trip; a path without one is seen now and then, at the latest when who gives way drains its own.
// Output observed: round trips. Inferred: the least of those seen within a window of time in which something was seen.
// What breaks it: somebody else's queue that never empties in a whole window. Then the base is too long, by a queue that our own window is small beside.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace netnice {

class BaseDelay {
 public:
  /// Time in which nothing is seen does not count: what was learned before a pause is not forgotten by it.
  void see(std::uint64_t now_ns, std::uint32_t round_trip_us);
  /// 0 while nothing was seen.
  [[nodiscard]] std::uint32_t base_us() const;

 private:
  static constexpr std::size_t kBuckets = 5;
  std::array<std::uint32_t, kBuckets> least_us_{};  // 0: nothing was seen in it
  std::uint64_t last_ns_ = 0;
  std::uint64_t in_bucket_ns_ = 0;
  std::size_t current_ = 0;
};

}  // namespace netnice
