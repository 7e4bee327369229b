// SPDX-License-Identifier: MIT
// path_window: how many bytes one direction of a path may have under way, so that others on the path go first.
//
// Knowledge assumed: TCP Vegas (Brakmo and Peterson, 1995). Of a window W a part W (1 - base / round trip) lies in queues. Others' bytes in the queue make
//   that part larger, too; so who keeps his own part small retreats before them.
// Output observed: round trips, and how much arrived. Inferred: that part; the window moves until it is between two bounds.
// What breaks it: a base that is wrong (base_delay), and a path that loses packets before it queues some; then losses halve the window as well.
//
// Beyond Vegas: a step up doubles as long as there is room, so that a long path is filled again within seconds; a step down takes away all that is too much; and the window's own part of the queue is drained every few seconds, which shows the base to whoever shares the path.
// Pure: the clock is a parameter.
#pragma once

#include <cstdint>

namespace netnice {

/// What was seen of a path since the last time.
struct PathSight {
  std::uint64_t now_ns = 0;
  std::uint32_t round_trip_us = 0;  // 0: none was seen
  std::uint32_t base_us = 0;
  std::uint64_t moved_bytes = 0;
  bool has_lost = false;
};

class PathWindow {
 public:
  /// How far the clock that tells the round trips of this way may be off.
  explicit PathWindow(double grain_s = 0.001) : grain_s_(grain_s) {}

  /// From where it starts; the least is what it never goes below.
  void start(double window_bytes, double least_bytes);
  [[nodiscard]] bool is_started() const { return window_bytes_ > 0; }
  void set_least(double least_bytes) { least_bytes_ = least_bytes; }

  void see(const PathSight& sight);

  /// In force now.
  [[nodiscard]] double window_bytes() const;
  /// The same as a rate, by the round trip seen last.
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
  double wanted_bytes_ = 0;  // what it had when it was last content
  double high_bytes_ = 1e9;  // of the last round: the upper bound of what may lie in the queue
  double drain_bytes_ = 0;   // taken off for a moment
  bool is_slow_start_ = true;
  bool has_lost_ = false;
  bool has_grown_ = false;  // in the last round: what that does is seen in the next one
  int waiting_rounds_ = 0;  // after a step down
  int empty_rounds_ = 0;
  int drain_rounds_ = 0;
  int drains_ = 0;
  std::uint32_t base_before_us_ = 0;  // the last drain
  std::uint32_t round_trip_us_ = 0;
  double mean_round_trip_us_ = 0;  // over some rounds
  std::uint64_t seen_ns_ = 0;
  std::uint32_t last_round_trip_us_ = 0;
  // The round under way: it lasts a round trip.
  std::uint64_t round_ns_ = 0;
  std::uint64_t drained_ns_ = 0;
  std::uint64_t moved_bytes_ = 0;
  std::uint32_t least_round_trip_us_ = 0;  // 0: none was seen
};

}  // namespace netnice
