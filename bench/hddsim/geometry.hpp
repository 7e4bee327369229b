// SPDX-License-Identifier: MIT
// geometry: where a byte lies on the platters, how long the head needs to get there, and when the byte passes the head.
//
// The disk has zones of equal capacity, from the outer rate to the inner rate. Within a zone every track holds the bytes that pass in one turn. The
// angle of a byte follows from its place in the track. The angle of the platters follows from the time alone.
#pragma once

#include <cstdint>
#include <vector>

#include "bench/hddsim/profile.hpp"

namespace hddsim {

class Geometry {
 public:
  Geometry(const Profile& profile, std::uint64_t capacity);

  /// Time of one turn.
  [[nodiscard]] std::uint64_t turn_ns() const { return turn_ns_; }

  /// The track of a byte, counted from the outside.
  [[nodiscard]] std::uint64_t track_of(std::uint64_t offset) const;

  /// The time from one track to another: 0 on the same track, seek_min to the next track. It grows with the square root of the distance up to a
  /// third of the stroke and in a straight line from there (the curve's shape: Ruemmler and Wilkes, "An introduction to
  /// disk drive modeling", 1994, section 3.1).
  [[nodiscard]] std::uint64_t seek_ns(std::uint64_t from_track, std::uint64_t to_track) const;

  /// The time after `now_ns` at which the byte passes under the head.
  [[nodiscard]] std::uint64_t rotation_ns(std::uint64_t offset, std::uint64_t now_ns) const;

  /// The time in which `length` bytes, starting at `offset`, pass under the head. The range may cross zones.
  [[nodiscard]] std::uint64_t transfer_ns(std::uint64_t offset, std::uint64_t length) const;

  /// The number of bytes, starting at `offset`, that pass under the head in `duration_ns`. The range may cross zones and ends at the end of the disk.
  [[nodiscard]] std::uint64_t passed_bytes(std::uint64_t offset, std::uint64_t duration_ns) const;

 private:
  struct Zone {
    std::uint64_t start = 0;  // first byte of the zone
    std::uint64_t end = 0;
    std::uint64_t track_bytes = 0;
    std::uint64_t first_track = 0;
    double bytes_per_ns = 0;
  };
  [[nodiscard]] const Zone& zone_of(std::uint64_t offset) const;

  std::vector<Zone> zones_;
  std::uint64_t capacity_;
  std::uint64_t tracks_ = 0;
  std::uint64_t turn_ns_;
  double seek_min_ns_;
  double seek_average_ns_;
  double seek_max_ns_;
};

}  // namespace hddsim
