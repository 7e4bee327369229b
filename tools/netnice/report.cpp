// SPDX-License-Identifier: MIT
#include "tools/netnice/report.hpp"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "toolbox/base/units.hpp"
#include "toolbox/cli/quantities.hpp"

namespace netnice {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kSchema = 1;
constexpr int kIndent = 2;

std::string counted(std::size_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

Json way_of(const PathWay& way) {
  const std::uint32_t base_us = way.base.base_us();
  return {
      {"bytes", way.bytes},
      {"base_us", base_us == 0 ? Json(nullptr) : Json(base_us)},
      {"round_trip_us", way.window.round_trip_us() == 0 ? Json(nullptr) : Json(way.window.round_trip_us())},
      {"window_bytes", way.window.is_started() ? Json(static_cast<std::uint64_t>(way.window.window_bytes()))
                                               : Json(nullptr)}};
}

}  // namespace

std::string line_of(const Engine& engine) {
  std::string line;
  const bool has_udp = engine.held_udp_sockets() != 0;
  if (engine.connections() != 0 || has_udp)
    line = fmt::format("sent {} and received {}", gray::cli::format_bytes(engine.bytes(Way::up)),
                       gray::cli::format_bytes(engine.bytes(Way::down)));
  if (engine.connections() != 0)
    line += fmt::format(" in {} to {}", counted(engine.connections(), "TCP connection"),
                        counted(engine.paths().size(), "host"));
  if (has_udp)
    line += fmt::format("{} by {}", engine.connections() != 0 ? " and" : "",
                        counted(engine.held_udp_sockets(), "UDP socket"));
  const char* between = line.empty() ? "" : "; ";
  if (engine.udp_sockets() != 0)
    line += fmt::format("{}not held: {}, for what goes by UDP, as QUIC does, {}", between,
                        counted(engine.udp_sockets(), "UDP socket"),
                        engine.has_gate() ? "is held only in programs that send by libc"
                                          : "is held only to a rate, in programs that netnice starts");
  between = line.empty() ? "" : "; ";
  if (engine.mptcp_connections() != 0)
    line += fmt::format("{}not held: {}, for multipath TCP cannot be", between,
                        counted(engine.mptcp_connections(), "MPTCP connection"));
  return line;
}

std::string json_of(const Engine& engine, const std::vector<std::string>& command, std::uint64_t time_ns,
                    int status) {
  Json paths = Json::array();
  for (const auto& [peer, path] : engine.paths())
    paths.push_back({{"peer", text_of(peer)},
                     {"connections", path.connections},
                     {"up", way_of(path.of(Way::up))},
                     {"down", way_of(path.of(Way::down))}});
  const Json all = {{"schema", kSchema},
                    {"command", command},
                    {"time_s", static_cast<double>(time_ns) / gray::base::kNanosecondsPerSecond},
                    {"sent_bytes", engine.bytes(Way::up)},
                    {"received_bytes", engine.bytes(Way::down)},
                    {"connections", engine.connections()},
                    {"paths", paths},
                    {"udp_sockets_held", engine.held_udp_sockets()},
                    {"udp_sent_bytes", engine.udp_bytes(Way::up)},
                    {"udp_received_bytes", engine.udp_bytes(Way::down)},
                    {"udp_sockets_not_held", engine.udp_sockets()},
                    {"mptcp_connections_not_held", engine.mptcp_connections()},
                    {"processes_not_held", engine.tree().refused()},
                    {"status", status}};
  // A word of the command may contain any bytes.
  return all.dump(kIndent, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace netnice
