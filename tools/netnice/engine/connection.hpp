// SPDX-License-Identifier: MIT
// connection: a TCP connection of the tree to another host, with what it moves and how far it is held; and the path that it shares with others to that host.
#pragma once

#include <cstdint>

#include "tools/netnice/control/base_delay.hpp"
#include "tools/netnice/control/path_window.hpp"
#include "tools/netnice/engine/holds.hpp"
#include "tools/netnice/socket/tcp_socket.hpp"

namespace netnice {

enum class Way { up, down };
inline constexpr Way kWays[] = {Way::up, Way::down};

/// One direction of a path. All connections to one address share it.
struct PathWay {
  BaseDelay base;
  PathWindow window;
  PathSight sight;                       // of this tick
  std::uint64_t bytes = 0;               // ever
  std::uint64_t bytes_before_found = 0;  // by connections that were found in this tick
  std::uint32_t flows = 0;               // that move something now
};

struct Path {
  Address peer{};
  // What is sent is timed to a microsecond, and sent by the millisecond; what is received is timed by stamps of a millisecond.
  PathWay ways[2] = {PathWay{{}, PathWindow(0.0005), {}}, PathWay{{}, PathWindow(0.001), {}}};
  std::uint32_t connections = 0;  // ever
  PathWay& of(Way way) { return ways[static_cast<int>(way)]; }
  [[nodiscard]] const PathWay& of(Way way) const { return ways[static_cast<int>(way)]; }
};

/// One direction of a connection.
struct Flow {
  std::uint64_t since_found_bytes = 0;
  std::uint64_t tick_bytes = 0;
  double rate_bytes_per_s = 0;  // of late
  double limit = 0;             // bytes a second up, bytes of window down; 0: not held
  bool is_loose = false;        // the limit does not hold by itself
  bool is_wanting = false;      // it would move more
};

struct Connection {
  std::uint64_t inode = 0;
  pid_t pid = 0;
  int fd = -1;
  Path* path = nullptr;
  TcpReading reading;
  bool is_known = false;       // `reading` is what was known of it before it was read here
  std::uint64_t read_ns = 0;   // 0: never
  std::uint64_t moved_ns = 0;  // when it last moved anything
  Flow flows[2];
  Hold* hold = nullptr;
  Flow& of(Way way) { return flows[static_cast<int>(way)]; }
};

/// Takes in what the kernel tells of it now; its path sees it too.
void take_reading(Connection& connection, const TcpReading& reading, std::uint64_t now_ns);

}  // namespace netnice
