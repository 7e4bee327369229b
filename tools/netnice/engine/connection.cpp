// SPDX-License-Identifier: MIT
#include "tools/netnice/engine/connection.hpp"

#include <algorithm>
#include <cmath>

#include "toolbox/base/units.hpp"

namespace netnice {
namespace {

constexpr double kSmoothS = 0.1;
constexpr double kWantingPart = 0.6;  // a flow that uses this part of its limit would move more

double round_trip_s(const Connection& connection, const TcpReading& reading) {
  const std::uint32_t told_us =
      reading.receive_round_trip_us != 0 ? reading.receive_round_trip_us : reading.round_trip_us;
  const std::uint32_t seen_us = connection.path->of(Way::down).window.round_trip_us();
  return std::max({told_us, seen_us, 1U}) / 1e6;
}

void take_flow(Connection& connection, Way way, std::uint64_t moved_bytes, double seconds) {
  Flow& flow = connection.of(way);
  flow.tick_bytes = moved_bytes;
  flow.since_found_bytes += moved_bytes;
  const double weight = std::min(seconds / kSmoothS, 1.0);
  flow.rate_bytes_per_s += weight * (static_cast<double>(moved_bytes) / seconds - flow.rate_bytes_per_s);
  PathWay& shared = connection.path->of(way);
  shared.bytes += moved_bytes;
  shared.sight.moved_bytes += moved_bytes;
  if (moved_bytes != 0) ++shared.flows;
}

// Takes the shortest of the round trips that several connections tell. The kernel smooths the value of each connection, so each value is late.
void see_round_trip(PathSight& sight, std::uint32_t round_trip_us) {
  if (round_trip_us != 0 && (sight.round_trip_us == 0 || round_trip_us < sight.round_trip_us))
    sight.round_trip_us = round_trip_us;
}

// The kernel tells a mean in which each acknowledgement weighs an eighth (tcp_rtt_estimator()). This computes the round trip of the acknowledgements since the last reading:
// when little is sent, the mean is late by many round trips.
std::uint32_t latest_round_trip_us(const TcpReading& before, const TcpReading& now) {
  constexpr double kKept = 0.875;
  constexpr std::uint32_t kFactorMost = 2;
  const std::uint32_t acknowledgements = now.segments_in - before.segments_in;
  if (before.round_trip_us == 0 || acknowledgements == 0) return now.round_trip_us;
  const double kept = std::pow(kKept, acknowledgements);
  const double latest = (now.round_trip_us - kept * before.round_trip_us) / (1 - kept);
  const std::uint32_t most_us = kFactorMost * std::max(before.round_trip_us, now.round_trip_us);
  const std::uint32_t least_us = std::min(now.least_round_trip_us, now.round_trip_us);
  return static_cast<std::uint32_t>(std::clamp<double>(latest, least_us, most_us));
}

// A receiver acknowledges every second segment at once, and a lone segment after a delay. When segments are far apart, the first of two segments waits for the
// second segment.
std::uint32_t without_waiting_us(std::uint32_t round_trip_us, const TcpReading& reading,
                                 double limit_bytes_per_s) {
  constexpr double kDelayedMostUs = 40'000;
  constexpr double kPairedUs = 2000;  // segments that are closer together are sent in pairs
  if (limit_bytes_per_s <= 0) return round_trip_us;
  const double spacing_us =
      std::clamp(reading.segment_bytes / limit_bytes_per_s * 1e6 - kPairedUs, 0.0, kDelayedMostUs);
  const double least_us = std::min(reading.least_round_trip_us, round_trip_us);
  return static_cast<std::uint32_t>(std::max(round_trip_us - spacing_us, least_us));
}

// The kernel may give the inode number of a closed socket to a new socket, whose counts begin anew.
std::uint64_t growth(std::uint64_t before, std::uint64_t now) {
  return now >= before ? now - before : now;
}

}  // namespace

void take_reading(Connection& connection, const TcpReading& reading, std::uint64_t now_ns) {
  const bool is_first = connection.read_ns == 0;
  const TcpReading before = connection.reading;
  const double seconds = static_cast<double>(std::max<std::uint64_t>(now_ns - connection.read_ns, 1)) /
                         gray::base::kNanosecondsPerSecond;
  connection.reading = reading;
  connection.read_ns = now_ns;
  if (is_first) {
    for (const Way way : kWays) {
      PathWay& shared = connection.path->of(way);
      shared.base.see(now_ns, reading.least_round_trip_us);
      if (!connection.is_known) continue;
      // The connection moved these bytes before it was found. They are reported, and a rate limit makes up for them.
      const std::uint64_t moved = way == Way::up ? growth(before.acked_bytes, reading.acked_bytes)
                                                 : growth(before.received_bytes, reading.received_bytes);
      shared.bytes += moved;
      shared.bytes_before_found += moved;
    }
    return;
  }
  const std::uint64_t sent = reading.acked_bytes - before.acked_bytes;
  const std::uint64_t received = reading.received_bytes - before.received_bytes;
  take_flow(connection, Way::up, sent, seconds);
  take_flow(connection, Way::down, received, seconds);
  if (sent != 0 || received != 0) connection.moved_ns = now_ns;
  PathSight& up = connection.path->of(Way::up).sight;
  if (sent != 0)
    see_round_trip(
        up, without_waiting_us(latest_round_trip_us(before, reading), reading, connection.of(Way::up).limit));
  if (reading.sent_again > before.sent_again) up.has_lost = true;
  if (received != 0) see_round_trip(connection.path->of(Way::down).sight, reading.receive_round_trip_us);
  Flow& up_flow = connection.of(Way::up);
  up_flow.is_wanting = reading.unsent_bytes != 0 || up_flow.rate_bytes_per_s > kWantingPart * up_flow.limit;
  Flow& down_flow = connection.of(Way::down);
  down_flow.is_wanting =
      down_flow.rate_bytes_per_s * round_trip_s(connection, reading) > kWantingPart * down_flow.limit;
}

}  // namespace netnice
