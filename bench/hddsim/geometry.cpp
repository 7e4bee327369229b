// SPDX-License-Identifier: MIT
#include "bench/hddsim/geometry.hpp"

#include <algorithm>
#include <cmath>

namespace hddsim {
namespace {

constexpr std::uint64_t kSectorBytes = 512;
constexpr double kNanosecondsPerSecond = 1e9;
constexpr double kAverageStroke = 1.0 / 3.0;  // the mean distance of two random places on a line

}  // namespace

Geometry::Geometry(const Profile& profile, std::uint64_t capacity)
    : capacity_(capacity),
      turn_ns_(60'000'000'000U / profile.rotations_per_minute),
      seek_min_ns_(static_cast<double>(profile.seek_min_ns)),
      seek_average_ns_(static_cast<double>(profile.seek_average_ns)),
      seek_max_ns_(static_cast<double>(profile.seek_max_ns)) {
  const double outer = static_cast<double>(profile.outer_rate);
  const double inner = static_cast<double>(profile.inner_rate);
  for (std::uint64_t i = 0; i < profile.zones; ++i) {
    const double depth =
        profile.zones == 1 ? 0 : static_cast<double>(i) / static_cast<double>(profile.zones - 1);
    const double rate = outer + (inner - outer) * depth;
    Zone zone;
    zone.start = i == 0 ? 0 : zones_.back().end;
    zone.end =
        i + 1 == profile.zones ? capacity : capacity / profile.zones / kSectorBytes * kSectorBytes * (i + 1);
    const auto in_a_turn =
        static_cast<std::uint64_t>(rate * static_cast<double>(turn_ns_) / kNanosecondsPerSecond);
    zone.track_bytes = std::max(in_a_turn / kSectorBytes, std::uint64_t{1}) * kSectorBytes;
    zone.bytes_per_ns = static_cast<double>(zone.track_bytes) / static_cast<double>(turn_ns_);
    zone.first_track = tracks_;
    tracks_ += (zone.end - zone.start + zone.track_bytes - 1) / zone.track_bytes;
    zones_.push_back(zone);
  }
}

const Geometry::Zone& Geometry::zone_of(std::uint64_t offset) const {
  const auto found =
      std::find_if(zones_.begin(), zones_.end(), [offset](const Zone& zone) { return offset < zone.end; });
  return found == zones_.end() ? zones_.back() : *found;
}

std::uint64_t Geometry::track_of(std::uint64_t offset) const {
  const Zone& zone = zone_of(offset);
  return zone.first_track + (offset - zone.start) / zone.track_bytes;
}

std::uint64_t Geometry::seek_ns(std::uint64_t from_track, std::uint64_t to_track) const {
  if (from_track == to_track) return 0;
  const std::uint64_t tracks = from_track < to_track ? to_track - from_track : from_track - to_track;
  const double stroke = static_cast<double>(tracks) / static_cast<double>(tracks_);
  const double time_ns =
      stroke <= kAverageStroke
          ? seek_min_ns_ + (seek_average_ns_ - seek_min_ns_) * std::sqrt(stroke / kAverageStroke)
          : seek_average_ns_ +
                (seek_max_ns_ - seek_average_ns_) * (stroke - kAverageStroke) / (1 - kAverageStroke);
  return static_cast<std::uint64_t>(time_ns);
}

std::uint64_t Geometry::rotation_ns(std::uint64_t offset, std::uint64_t now_ns) const {
  const Zone& zone = zone_of(offset);
  const double place =
      static_cast<double>((offset - zone.start) % zone.track_bytes) / static_cast<double>(zone.track_bytes);
  const auto passes_at = static_cast<std::uint64_t>(place * static_cast<double>(turn_ns_));
  return (passes_at + turn_ns_ - now_ns % turn_ns_) % turn_ns_;
}

std::uint64_t Geometry::transfer_ns(std::uint64_t offset, std::uint64_t length) const {
  double time_ns = 0;
  while (length > 0 && offset < capacity_) {
    const Zone& zone = zone_of(offset);
    const std::uint64_t part = std::min(length, zone.end - offset);
    time_ns += static_cast<double>(part) / zone.bytes_per_ns;
    offset += part;
    length -= part;
  }
  return static_cast<std::uint64_t>(time_ns);
}

std::uint64_t Geometry::passed_bytes(std::uint64_t offset, std::uint64_t duration_ns) const {
  double left_ns = static_cast<double>(duration_ns);
  const std::uint64_t start = offset;
  while (offset < capacity_) {
    const Zone& zone = zone_of(offset);
    const auto part = static_cast<double>(zone.end - offset);
    if (part / zone.bytes_per_ns > left_ns)
      return offset - start + static_cast<std::uint64_t>(left_ns * zone.bytes_per_ns);
    left_ns -= part / zone.bytes_per_ns;
    offset = zone.end;
  }
  return capacity_ - start;
}

}  // namespace hddsim
