// SPDX-License-Identifier: MIT
// path_window: the number of bytes that one direction of a path may have under way, so that other senders on the path go first.
//
// Knowledge assumed: TCP Vegas (Brakmo and Peterson, 1995). Of a window W the part W (1 - base / round trip) lies in queues. Other senders' bytes in the queue enlarge
//   that part, too. So a sender that keeps its own part small gives way to other senders.
// Output observed: round trips, and the number of bytes that arrived. Inferred: the queued part. The window moves until the queued part is between two bounds.
// What breaks it: a wrong base (base_delay), and a path that loses packets before it queues any. On such a path losses reduce the window as well.
//
// Differences from Vegas: the step up doubles while there is room, so that a long path is filled again within seconds. A step down takes away all of
// the excess. The window's own part of the queue is drained every few seconds, which shows the base to every sender that shares the path.
// Pure: the clock is a parameter.
#pragma once

#include <cstdint>

namespace netnice {

/// What was observed of a path since the last observation.
struct PathSight {
  std::uint64_t now_ns = 0;
  std::uint32_t round_trip_us = 0;  // 0: no round trip was observed
  std::uint32_t base_us = 0;
  std::uint64_t moved_bytes = 0;
  bool has_lost = false;
};

class PathWindow {
 public:
  /// `grain_s`: the error of the clock that tells this direction's round trips.
  explicit PathWindow(double grain_s = 0.001) : grain_s_(grain_s) {}

  /// Sets the first window and the lower bound of every later window.
  void start(double window_bytes, double least_bytes);
  [[nodiscard]] bool is_started() const { return window_bytes_ > 0; }
  void set_least(double least_bytes) { least_bytes_ = least_bytes; }

  void see(const PathSight& sight);

  /// The window that is in force now.
  [[nodiscard]] double window_bytes() const;
  /// The window as a rate, computed with the last round trips.
  [[nodiscard]] double rate_bytes_per_s() const;
  [[nodiscard]] std::uint32_t round_trip_us() const { return round_trip_us_; }

 private:
  double grain_s_;
  void heed_others(const PathSight& sight);
  void fall_to(double window_bytes);
  void start_round(std::uint64_t now_ns);
  void end_round(const PathSight& sight);
  void grow(double queued_bytes, double low_bytes);
  void start_drain(const PathSight& sight, double queued_bytes);

  double window_bytes_ = 0;
  double least_bytes_ = 0;
  double step_bytes_ = 0;
  double wanted_bytes_ = 0;  // the window when the queue was last within its bounds
  double high_bytes_ = 1e9;  // upper bound of the bytes in the queue; computed in the last round
  double grown_bytes_ =
      0;  // growth of the last rounds: so many bytes more in the queue are not other senders'
  double drain_bytes_ = 0;  // taken off the window during a drain
  bool is_slow_start_ = true;
  bool has_lost_ = false;
  bool has_grown_ = false;  // in the last round; the effect of the growth is seen in the next round
  int waiting_rounds_ = 0;  // rounds still to wait after a step down
  int drain_rounds_ = 0;
  int drains_ = 0;
  std::uint32_t base_before_us_ = 0;  // the base before the last drain
  std::uint32_t round_trip_us_ = 0;
  double mean_round_trip_us_ = 0;  // mean over some rounds
  std::uint64_t seen_ns_ = 0;
  std::uint32_t last_round_trip_us_ = 0;
  // The current round. A round lasts one round trip.
  std::uint64_t round_ns_ = 0;
  std::uint64_t drained_ns_ = 0;
  std::uint64_t moved_bytes_ = 0;
  std::uint32_t least_round_trip_us_ = 0;  // 0: no round trip was observed
};

}  // namespace netnice
