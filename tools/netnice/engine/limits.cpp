// SPDX-License-Identifier: MIT
#include "tools/netnice/engine/limits.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "toolbox/cli/diagnostics.hpp"
#include "toolbox/cli/quantities.hpp"
#include "tools/netnice/control/shares.hpp"

namespace netnice {
namespace {

constexpr double kSegmentBytes = 1448;
constexpr std::uint64_t kUntouchedBytes = 32768;  // a connection that moves less burdens nobody
constexpr double kLeastUpBytes = 2 * kSegmentBytes;
constexpr double kLeastDownBytes = 2 * kSegmentBytes;  // a receiver acknowledges every second segment at once
// After each sending, which has at least two segments, a paced socket waits for the time of these bytes at its pace. A faster pace that is set later does not
// shorten this wait. So with this least rate a held socket is free within a second.
constexpr double kLeastUpBytesPerS = 2 * kSegmentBytes;
constexpr double kDebtTellingS = 3;
constexpr std::uint64_t kUnheldBytes = 65536;  // a receiver's first offered window cannot be taken back
constexpr double kRoomPart = 1.5;              // factor of the traffic of a flow that would not move more
constexpr double kChangePart = 0.02;           // a smaller change is not worth a system call
constexpr double kUnlimited = std::numeric_limits<double>::infinity();

double round_trip_s(const Connection& connection) {
  const TcpReading& reading = connection.reading;
  const std::uint32_t us =
      reading.receive_round_trip_us != 0 ? reading.receive_round_trip_us : reading.round_trip_us;
  return std::max(us, 1U) / 1e6;
}

bool is_burden(Connection& connection, Way way) {
  const std::uint64_t at_start =
      way == Way::up ? connection.reading.acked_bytes : connection.reading.received_bytes;
  return connection.of(way).limit > 0 || at_start >= kUntouchedBytes;
}

// The flow's demand, in the unit of its direction: bytes a second up, bytes of window down.
double demand_of(Connection& connection, Way way) {
  const Flow& flow = connection.of(way);
  if (flow.is_wanting || flow.limit <= 0) return kUnlimited;
  const double per_rate = way == Way::up ? 1 : round_trip_s(connection);
  const double least = way == Way::up ? kLeastUpBytes : kLeastDownBytes;
  return std::max(kRoomPart * flow.rate_bytes_per_s * per_rate, least);
}

// Starts a path's window with the bytes that its first connections have under way.
void start(PathWay& shared, Way way, Connection& connection) {
  const TcpReading& reading = connection.reading;
  if (way == Way::up) {
    shared.window.start(reading.window_bytes, kLeastUpBytes);
  } else if (reading.receive_round_trip_us != 0) {
    // A new connection has received about twice the bytes that are under way.
    const double begun_bytes =
        std::min<double>(static_cast<double>(reading.received_bytes), 2 * kUntouchedBytes);
    const double flow_bytes = connection.of(way).rate_bytes_per_s * round_trip_s(connection);
    shared.window.start(std::max(flow_bytes, begun_bytes), kLeastDownBytes);
  }
}

// A program that paces itself is never paced faster than its own rate.
void hold_pace(Hold& hold, int fd, double bytes_per_s) {
  if (const std::uint64_t now = read_pace(fd); hold.is_sending_held && now != hold.pacing_bytes_per_s)
    hold.before.pacing_bytes_per_s = now;
  constexpr double kMost = 1e18;  // a larger number has no place in the kernel's word
  hold.pacing_bytes_per_s =
      std::min(static_cast<std::uint64_t>(std::min(bytes_per_s, kMost)), hold.before.pacing_bytes_per_s);
  hold.is_sending_held = true;
  hold_sending(fd, hold.pacing_bytes_per_s);
}

// A flow that does not use its share may use all of the rate for a moment, until the next tick.
double rate_of(double all, double share, double demand) {
  return std::isinf(demand) ? share : all;
}

double per_connection(double least_bytes, const PathWay& shared) {
  return least_bytes * std::max<std::uint32_t>(shared.flows, 1);
}

}  // namespace

Limits::Limits(const LimitSettings& settings) : settings_(settings) {
  for (int way = 0; way < 2; ++way)
    if (settings_.rates_bytes_per_s[way])
      budgets_[way].emplace(static_cast<double>(*settings_.rates_bytes_per_s[way]));
}

void Limits::see_paths(std::uint64_t now_ns, std::map<Address, Path>& paths, const UdpGate& gate) {
  std::uint64_t moved[2] = {gate.of(Way::up).tick_bytes, gate.of(Way::down).tick_bytes};
  for (auto& [peer, path] : paths) {
    for (const Way way : kWays) {
      PathWay& shared = path.of(way);
      moved[static_cast<int>(way)] += shared.sight.moved_bytes + shared.bytes_before_found;
      if (shared.sight.round_trip_us != 0) shared.base.see(now_ns, shared.sight.round_trip_us);
      shared.sight.now_ns = now_ns;
      shared.sight.base_us = shared.base.base_us();
      if (shared.window.is_started()) shared.window.see(shared.sight);
      if (way == Way::down) shared.window.set_least(per_connection(kLeastDownBytes, shared));
    }
  }
  for (int way = 0; way < 2; ++way)
    if (budgets_[way]) budgets_[way]->see(now_ns, moved[way]);
}

void Limits::give_way(Way way, std::vector<OpenConnection>& open, std::vector<double>& limits) const {
  std::map<Path*, std::vector<std::size_t>> by_path;
  for (std::size_t i = 0; i < open.size(); ++i) {
    Connection& connection = *open[i].connection;
    PathWay& shared = connection.path->of(way);
    if (!is_burden(connection, way)) continue;
    if (!shared.window.is_started() && connection.of(way).tick_bytes != 0) start(shared, way, connection);
    if (shared.window.is_started()) by_path[connection.path].push_back(i);
  }
  for (const auto& [path, members] : by_path) {
    const PathWindow& window = path->of(way).window;
    const double all = way == Way::up ? window.rate_bytes_per_s() : window.window_bytes();
    if (all <= 0) continue;
    std::vector<double> demands;
    for (const std::size_t i : members) demands.push_back(demand_of(*open[i].connection, way));
    const std::vector<double> shares = shares_of(all, demands);
    // A flow that does not use its share may use all of it for a moment, until the next tick.
    for (std::size_t k = 0; k < members.size(); ++k)
      limits[members[k]] = std::min(limits[members[k]], std::isinf(demands[k]) ? shares[k] : all);
  }
}

void Limits::tell_if_too_many(double rate_bytes_per_s, const std::vector<double>& demands) {
  const auto senders =
      std::count_if(demands.begin(), demands.end(), [](double one) { return std::isinf(one); });
  if (has_told_many_ || static_cast<double>(senders) * kLeastUpBytesPerS <= rate_bytes_per_s) return;
  has_told_many_ = true;
  gray::cli::warn("{} connections that send at once are too many for the rate: each gets {} at the least",
                  senders, gray::cli::format_rate(kLeastUpBytesPerS));
}

void Limits::tell_if_too_near(const std::vector<OpenConnection>& open, const std::vector<double>& demands) {
  const double whole = static_cast<double>(*settings_.rates_bytes_per_s[static_cast<int>(Way::down)]);
  for (std::size_t i = 0; i < open.size() && !has_told_near_; ++i) {
    const Connection& connection = *open[i].connection;
    const double trip_s = round_trip_s(connection);
    const bool is_timed = connection.reading.receive_round_trip_us != 0;
    if (!is_timed || !std::isinf(demands[i]) || whole * trip_s >= kLeastDownBytes) continue;
    has_told_near_ = true;
    gray::cli::warn("what {} sends cannot be held to the rate exactly: it is too near ({:.1f} ms)",
                    text_of(connection.path->peer), trip_s * 1e3);
  }
}

void Limits::keep_rate(Way way, std::vector<OpenConnection>& open, std::vector<double>& limits,
                       UdpGate& gate) {
  auto& budget = budgets_[static_cast<int>(way)];
  if (!budget) return;
  std::vector<double> demands;
  const auto add = [&demands](double rate_bytes_per_s, bool is_wanting, bool is_held) {
    const bool is_idle = rate_bytes_per_s < 1 && !is_wanting;
    demands.push_back(is_idle ? 0 : is_wanting || !is_held ? kUnlimited : kRoomPart * rate_bytes_per_s);
  };
  for (OpenConnection& one : open) {
    const Flow& flow = one.connection->of(way);
    add(flow.rate_bytes_per_s, flow.is_wanting, flow.limit > 0);
  }
  const double whole = static_cast<double>(*settings_.rates_bytes_per_s[static_cast<int>(way)]);
  if (way == Way::up) tell_if_too_many(whole, demands);
  add(gate.of(way).rate_bytes_per_s, gate.of(way).is_wanting, true);
  if (budget->debt_s() > kDebtTellingS && !has_told_debt_) {
    has_told_debt_ = true;
    gray::cli::warn(
        "more moves than the rate allows: each new connection may move up to {} before it is held",
        gray::cli::format_bytes(kUnheldBytes));
  }
  const double all = budget->allowed_bytes_per_s();
  const std::vector<double> shares = shares_of(all, demands);
  for (std::size_t i = 0; i < open.size(); ++i) {
    const double rate = rate_of(all, shares[i], demands[i]);
    limits[i] = std::min(limits[i], way == Way::up ? rate : rate * round_trip_s(*open[i].connection));
  }
  // The gate itself makes up for what was lost, so it never needs more than the rate.
  gate.set(way, std::min(rate_of(all, shares.back(), demands.back()), whole));
  if (way == Way::down) tell_if_too_near(open, demands);
}

void Limits::hold(Way way, OpenConnection& one, double limit, Holds& holds) {
  Connection& connection = *one.connection;
  Flow& flow = connection.of(way);
  if (std::isinf(limit)) return;
  limit = std::max(limit, way == Way::up ? kLeastUpBytesPerS : kLeastDownBytes);
  if (flow.limit > 0 && !flow.is_loose && std::abs(limit - flow.limit) < kChangePart * flow.limit) return;
  if (connection.hold == nullptr)
    connection.hold = holds.add(connection.inode, connection.pid, connection.fd, read_limits(one.fd.get()));
  if (connection.hold == nullptr) return;
  if (way == Way::up) {
    hold_pace(*connection.hold, one.fd.get(), limit);
  } else {
    connection.hold->is_receiving_held = true;
    flow.is_loose = !hold_receiving(one.fd.get(), limit, connection.hold->before);
  }
  flow.limit = limit;
}

void Limits::apply(std::uint64_t now_ns, std::map<Address, Path>& paths, std::vector<OpenConnection>& open,
                   Holds& holds) {
  see_paths(now_ns, paths, holds.gate());
  for (const Way way : kWays) {
    std::vector<double> limits(open.size(), kUnlimited);
    if (settings_.gives_way) give_way(way, open, limits);
    keep_rate(way, open, limits, holds.gate());
    for (std::size_t i = 0; i < open.size(); ++i) hold(way, open[i], limits[i], holds);
  }
}

}  // namespace netnice
