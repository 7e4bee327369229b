// SPDX-License-Identifier: MIT
// base_delay: the round trip of a path whose queues are empty, estimated by the shortest round trip of recent time.
//
// Knowledge assumed: a queue only lengthens a round trip. Now and then a path has no queue. This happens at the latest when a sender that gives way drains its
// own queue.
// Output observed: round trips. Inferred: the shortest round trip within a window of time. Only time in which round trips were observed counts for the window.
// What breaks it: another sender's queue that does not empty during a whole window. Then the base is too long by that queue. The sender's own queue is small
// compared with that queue.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace netnice {

class BaseDelay {
 public:
  /// Adds one observed round trip. A pause without observations does not count as time, so the base is not forgotten during a pause.
  void see(std::uint64_t now_ns, std::uint32_t round_trip_us);
  /// 0 while no round trip was observed.
  [[nodiscard]] std::uint32_t base_us() const;

 private:
  static constexpr std::size_t kBuckets = 5;
  std::array<std::uint32_t, kBuckets> least_us_{};  // 0: no round trip was observed in this bucket
  std::uint64_t last_ns_ = 0;
  std::uint64_t in_bucket_ns_ = 0;
  std::size_t current_ = 0;
};

}  // namespace netnice
