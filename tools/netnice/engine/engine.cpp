// SPDX-License-Identifier: MIT
#include "tools/netnice/engine/engine.hpp"

#include <algorithm>
#include <cerrno>

#include <fmt/core.h>

#include "toolbox/base/clock.hpp"
#include "toolbox/base/units.hpp"
#include "toolbox/cli/diagnostics.hpp"

namespace netnice {
namespace {

using gray::base::kNanosecondsPerMillisecond;

constexpr std::uint64_t kTickNs = 10 * kNanosecondsPerMillisecond;
constexpr std::uint64_t kIdleTickNs = 50 * kNanosecondsPerMillisecond;
constexpr std::uint64_t kActiveNs =
    // A connection that moved something within this time is read in each tick.
    300 * kNanosecondsPerMillisecond;
constexpr std::size_t kOthersMost = 65536;

}  // namespace

Engine::Engine(const LimitSettings& settings, Holds& holds, Followed followed, std::FILE* trace)
    : limits_(settings), holds_(holds), tree_(std::move(followed)), trace_(trace) {}

std::uint64_t Engine::step(std::uint64_t now_ns) {
  if (now_ns >= tree_.next_look_ns()) meet(tree_.look(now_ns));
  for (auto& [peer, path] : paths_)
    for (const Way way : kWays) {
      path.of(way).sight = {};
      path.of(way).bytes_before_found = 0;
      path.of(way).flows = 0;
    }
  std::vector<OpenConnection> open = read_due(now_ns);
  holds_.gate().look(now_ns);
  bool has_moved = holds_.gate().is_active();
  for (const OpenConnection& one : open) has_moved = has_moved || one.connection->moved_ns == now_ns;
  if (has_moved) moved_ns_ = now_ns;
  if (!open.empty() || holds_.gate().is_there()) limits_.apply(now_ns, paths_, open, holds_);
  if (trace_ != nullptr) write_trace(now_ns);
  return rest_ns(gray::base::monotonic_ns(), has_moved);
}

void Engine::meet(const std::vector<FoundSocket>& found) {
  for (const FoundSocket& socket : found) {
    const auto known = connections_.find(socket.inode);
    if (known != connections_.end()) continue;
    const auto other = others_.find(socket.inode);
    if (other == others_.end() || other->second == SocketKind::pending || other->second == SocketKind::unused)
      judge(socket);
  }
  has_met_ = true;
}

void Engine::judge(const FoundSocket& socket) {
  const ProcessHandle* handle = tree_.handle_of(socket.pid);
  if (handle == nullptr) return;
  const auto fd = handle->duplicate(socket.fd);
  if (!fd.is_open() || inode_of(fd.get()) != socket.inode) return;
  Address peer{};
  const SocketKind kind = kind_of(fd.get(), peer);
  if (kind == SocketKind::pending) tree_.scan_again(socket.pid);
  if (kind != SocketKind::far) {
    note_other(socket, kind);
    return;
  }
  others_.erase(socket.inode);
  Path& path = paths_[peer];
  path.peer = peer;
  // A connection that went from one process to another is the same connection.
  Hold* const hold = holds_.find(socket.inode);
  if (hold == nullptr) ++path.connections;
  if (hold == nullptr) ++connections_ever_;
  Connection& connection = connections_[socket.inode];
  connection.inode = socket.inode;
  connection.pid = socket.pid;
  connection.fd = socket.fd;
  connection.path = &path;
  // A connection is followed from its first byte in two cases: a process that netnice started has opened the connection, or the connection was
  // opened after netnice's first scan.
  const auto lost = lost_.find(socket.inode);
  connection.is_known = lost != lost_.end() || (hold == nullptr && (has_met_ || !tree_.is_adopting()));
  if (lost != lost_.end()) connection.reading = lost->second;
  if (lost != lost_.end()) lost_.erase(lost);
  // A process may leave its socket to a child. Then the socket's original settings are known. The settings in force may differ from them.
  connection.hold = hold;
  if (hold == nullptr) return;
  hold->pid = socket.pid;
  hold->fd = socket.fd;
  hold->lost_ns = 0;
}

void Engine::note_other(const FoundSocket& socket, SocketKind kind) {
  if (others_.size() >= kOthersMost) others_.clear();
  SocketKind& known = others_.try_emplace(socket.inode, SocketKind::unused).first->second;
  if (kind != known && kind == SocketKind::udp)
    ++(holds_.gate().is_in(socket.pid) ? held_udp_sockets_ : udp_sockets_);
  if (kind != known && kind == SocketKind::mptcp) ++mptcp_connections_;
  known = kind;
}

std::vector<OpenConnection> Engine::read_due(std::uint64_t now_ns) {
  const bool is_all_due = now_ns - all_read_ns_ >= kIdleTickNs;
  if (is_all_due) all_read_ns_ = now_ns;
  if (is_all_due) holds_.forget_lost(now_ns);
  std::vector<OpenConnection> open;
  for (auto at = connections_.begin(); at != connections_.end();) {
    Connection& connection = at->second;
    const bool is_due = is_all_due || connection.read_ns == 0 || now_ns - connection.moved_ns < kActiveNs;
    if (!is_due || read_one(connection, now_ns, open)) {
      ++at;
      continue;
    }
    if (connection.hold != nullptr) Holds::lose(*connection.hold, now_ns);
    if (lost_.size() >= kOthersMost) lost_.clear();
    if (connection.read_ns != 0) lost_.insert_or_assign(connection.inode, connection.reading);
    tree_.scan_again(connection.pid);
    at = connections_.erase(at);
  }
  return open;
}

// False if the socket is not where it was found. As a rule it was closed.
bool Engine::read_one(Connection& connection, std::uint64_t now_ns, std::vector<OpenConnection>& open) {
  const ProcessHandle* handle = tree_.handle_of(connection.pid);
  if (handle == nullptr) return false;
  auto fd = handle->duplicate(connection.fd);
  if (fd.error() == -EMFILE || fd.error() == -ENFILE) {
    tell_if_too_many();
    return true;
  }
  const bool is_out_of_reach =
      fd.error() == -EPERM;  // the process protects itself now; later it may be reachable again
  if (connection.hold != nullptr) connection.hold->is_out_of_reach = is_out_of_reach;
  if (is_out_of_reach) return true;
  if (!fd.is_open() || inode_of(fd.get()) != connection.inode) return false;
  TcpReading reading;
  if (read_tcp(fd.get(), reading) != 0) return false;
  take_reading(connection, reading, now_ns);
  open.push_back({&connection, std::move(fd)});
  return true;
}

void Engine::tell_if_too_many() {
  if (has_told_many_) return;
  has_told_many_ = true;
  gray::cli::warn("netnice may open no more files: some of {} connections are not held", connections_.size());
}

std::uint64_t Engine::rest_ns(std::uint64_t now_ns, bool has_moved) const {
  const bool is_active = has_moved || now_ns - moved_ns_ < kActiveNs;
  std::uint64_t due_ns = tree_.next_look_ns();
  if (!connections_.empty() || has_moved)
    due_ns = std::min(due_ns, now_ns + (is_active ? kTickNs : kIdleTickNs));
  const std::uint64_t least_ns = kTickNs / 2;
  return std::max(due_ns > now_ns ? due_ns - now_ns : 0, least_ns);
}

// A path's window was learned under the old limits, so the window starts anew.
void Engine::change(const LimitSettings& settings) {
  holds_.put_all_back({});
  for (auto& [inode, connection] : connections_) {
    connection.hold = nullptr;
    for (Flow& flow : connection.flows) flow.limit = 0;
    for (Flow& flow : connection.flows) flow.is_loose = flow.is_wanting = false;
  }
  for (auto& [peer, path] : paths_)
    for (const Way way : kWays) path.of(way).window = Path{}.of(way).window;
  limits_ = Limits(settings);
}

void Engine::let_go() {
  holds_.gate().look(gray::base::monotonic_ns());  // what moved last is reported, too
  connections_.clear();
  const std::size_t left = holds_.finish(tree_.leave(gray::base::monotonic_ns()));
  if (left != 0)
    gray::cli::warn("{} connection{} stay{} limited: the program protects itself by now", left,
                    left == 1 ? "" : "s", left == 1 ? "s" : "");
}

std::uint64_t Engine::bytes(Way way) const {
  std::uint64_t bytes = 0;
  for (const auto& [peer, path] : paths_) bytes += path.of(way).bytes;
  return bytes + udp_bytes(way);
}

// When a trace file cannot be written, no more lines are written to it. Closing the file reports the error.
void Engine::write_trace(std::uint64_t now_ns) {
  std::string lines;
  for (const auto& [peer, path] : paths_) {
    for (const Way way : kWays) {
      const PathWay& shared = path.of(way);
      if (shared.sight.moved_bytes == 0 && shared.sight.round_trip_us == 0) continue;
      lines += fmt::format("{:.6f} {} {} window {:.0f} rtt_us {} base_us {} moved {} flows {}\n",
                           static_cast<double>(now_ns) / gray::base::kNanosecondsPerSecond, text_of(peer),
                           way == Way::up ? "up" : "down", shared.window.window_bytes(),
                           shared.sight.round_trip_us, shared.sight.base_us, shared.sight.moved_bytes,
                           shared.flows);
    }
  }
  if (std::fputs(lines.c_str(), trace_) < 0) trace_ = nullptr;
}

}  // namespace netnice
