// SPDX-License-Identifier: MIT
// connection: a TCP connection of the process tree to another host, with its traffic and its limits; and the path to that host, which several connections share.
#pragma once

#include <cstdint>

#include "tools/netnice/control/base_delay.hpp"
#include "tools/netnice/control/path_window.hpp"
#include "tools/netnice/engine/holds.hpp"
#include "tools/netnice/engine/way.hpp"
#include "tools/netnice/socket/tcp_socket.hpp"

namespace netnice {

/// One direction of a path. All connections to one address share it.
struct PathWay {
  BaseDelay base;
  PathWindow window;
  PathSight sight;          // the observations of this tick
  std::uint64_t bytes = 0;  // moved since the start
  // The bytes of connections that were found in this tick. The connections moved these bytes before they were found.
  std::uint64_t bytes_before_found = 0;
  std::uint32_t flows = 0;  // flows that move something now
};

struct Path {
  Address peer{};
  // Sent bytes are timed to a microsecond, and are sent by the millisecond. Received bytes are timed by stamps of a millisecond.
  PathWay ways[2] = {PathWay{{}, PathWindow(0.0005), {}}, PathWay{{}, PathWindow(0.001), {}}};
  std::uint32_t connections = 0;  // since the start
  PathWay& of(Way way) { return ways[static_cast<int>(way)]; }
  [[nodiscard]] const PathWay& of(Way way) const { return ways[static_cast<int>(way)]; }
};

/// One direction of a connection.
struct Flow {
  std::uint64_t since_found_bytes = 0;
  std::uint64_t tick_bytes = 0;
  double rate_bytes_per_s = 0;  // of recent time
  double limit = 0;             // up: bytes a second; down: bytes of window; 0: not held
  bool is_loose = false;        // the limit does not last by itself, and must be set in each tick
  bool is_wanting = false;      // the flow would move more without its limit
};

struct Connection {
  std::uint64_t inode = 0;
  pid_t pid = 0;
  int fd = -1;
  Path* path = nullptr;
  TcpReading reading;
  bool is_known = false;       // `reading` was known before the first reading in this program
  std::uint64_t read_ns = 0;   // 0: never
  std::uint64_t moved_ns = 0;  // time of the last traffic
  Flow flows[2];
  Hold* hold = nullptr;
  Flow& of(Way way) { return flows[static_cast<int>(way)]; }
};

/// Stores a new reading of the connection, and adds it to the connection's path.
void take_reading(Connection& connection, const TcpReading& reading, std::uint64_t now_ns);

}  // namespace netnice
