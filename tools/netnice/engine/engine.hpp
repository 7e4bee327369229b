// SPDX-License-Identifier: MIT
// engine: one step of netnice's work. A step finds the connections of the process tree, reads them, lets the limits decide, and returns the time until the next step.
#pragma once

#include <cstdint>
#include <cstdio>
#include <map>
#include <unordered_map>
#include <vector>

#include "tools/netnice/engine/connection.hpp"
#include "tools/netnice/engine/holds.hpp"
#include "tools/netnice/engine/limits.hpp"
#include "tools/netnice/engine/tree.hpp"

namespace netnice {

class Engine {
 public:
  Engine(const LimitSettings& settings, Holds& holds, Followed followed, std::FILE* trace);

  /// Returns the time to wait before the next step.
  std::uint64_t step(std::uint64_t now_ns);
  /// Restores the sockets that the old limits held. The new limits apply from the next step on.
  void change(const LimitSettings& settings);
  /// Restores the original settings of all sockets, permanently.
  void let_go();

  /// The bytes that all connections, and held UDP sockets, have moved since they were found.
  [[nodiscard]] std::uint64_t bytes(Way way) const;

  [[nodiscard]] const std::map<Address, Path>& paths() const { return paths_; }
  [[nodiscard]] std::size_t connections() const { return connections_ever_; }
  [[nodiscard]] std::size_t udp_sockets() const { return udp_sockets_; }  // that are not held
  [[nodiscard]] std::size_t held_udp_sockets() const { return held_udp_sockets_; }
  [[nodiscard]] std::uint64_t udp_bytes(Way way) const { return holds_.gate().of(way).bytes; }
  [[nodiscard]] bool has_gate() const { return holds_.gate().is_there(); }
  [[nodiscard]] std::size_t mptcp_connections() const { return mptcp_connections_; }
  [[nodiscard]] const Tree& tree() const { return tree_; }

 private:
  void meet(const std::vector<FoundSocket>& found);
  void judge(const FoundSocket& socket);
  void note_other(const FoundSocket& socket, SocketKind kind);
  std::vector<OpenConnection> read_due(std::uint64_t now_ns);
  bool read_one(Connection& connection, std::uint64_t now_ns, std::vector<OpenConnection>& open);
  void tell_if_too_many();
  void write_trace(std::uint64_t now_ns);
  [[nodiscard]] std::uint64_t rest_ns(std::uint64_t now_ns, bool has_moved) const;

  Limits limits_;
  Holds& holds_;
  Tree tree_;
  std::FILE* trace_;
  std::map<Address, Path> paths_;
  std::unordered_map<std::uint64_t, Connection> connections_;  // by inode
  std::unordered_map<std::uint64_t, SocketKind> others_;       // sockets that are no far TCP connection
  std::unordered_map<std::uint64_t, TcpReading>
      lost_;  // readings of connections that are not where they were: another process may have them
  std::size_t connections_ever_ = 0;
  std::size_t udp_sockets_ = 0;
  std::size_t held_udp_sockets_ = 0;
  std::size_t mptcp_connections_ = 0;
  bool has_met_ = false;  // the first look, at the processes that were there at the start, has been done
  bool has_told_many_ = false;
  std::uint64_t all_read_ns_ = 0;
  std::uint64_t moved_ns_ = 0;
};

}  // namespace netnice
