// SPDX-License-Identifier: MIT
#include "bench/hddsim/report.hpp"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "bench/hddsim/counters.hpp"
#include "bench/hddsim/unit.hpp"
#include "toolbox/cli/diagnostics.hpp"
#include "toolbox/cli/options.hpp"
#include "toolbox/cli/quantities.hpp"

namespace hddsim {
namespace {

nlohmann::json counters_json(const Counters& counters) {
  return {{"reads", counters.reads.load()},
          {"writes", counters.writes.load()},
          {"flushes", counters.flushes.load()},
          {"read_bytes", counters.read_bytes.load()},
          {"write_bytes", counters.write_bytes.load()},
          {"seeks", counters.seeks.load()},
          {"rotations", counters.rotations.load()},
          {"buffered", counters.buffered.load()},
          {"seek_ns", counters.seek_ns.load()},
          {"rotation_ns", counters.rotation_ns.load()},
          {"transfer_ns", counters.transfer_ns.load()},
          {"busy_ns", counters.busy_ns.load()},
          {"late_ns", counters.late_ns.load()},
          {"late_max_ns", counters.late_max_ns.load()},
          {"queue_now", counters.queue_now.load()},
          {"queue_max", counters.queue_max.load()}};
}

nlohmann::json unit_json(const std::string& name) {
  const UnitRequest request = load_request(name);
  const UnitPlaces places(request);
  const std::string device = find_loop_device(places);
  nlohmann::json object = {{"name", name},
                           {"profile", request.profile},
                           {"size_bytes", request.size_bytes},
                           {"file_system", request.file_system},
                           {"loop_device", device},
                           {"mounted_at", find_mounts_of(device)},
                           {"is_served", !find_servers(places).empty()}};
  const Counters* counters = map_counters(places.counters_file, false);
  if (counters != nullptr) object["counters"] = counters_json(*counters);
  return object;
}

std::string unit_text(const nlohmann::json& unit) {
  std::string text = fmt::format(
      "{}: {} of {}, {}", unit["name"].get<std::string>(), unit["profile"].get<std::string>(),
      gray::cli::format_bytes(unit["size_bytes"].get<std::uint64_t>()),
      unit["is_served"].get<bool>() ? "running" : "NOT RUNNING (hddsim down removes what is left)");
  for (const std::string point : unit["mounted_at"]) text += ", mounted at " + point;
  if (!unit.contains("counters")) return text + "\n";
  const nlohmann::json& done = unit["counters"];
  const auto count = [&done](const char* key) { return done[key].get<std::uint64_t>(); };
  return text + fmt::format(
                    "\n  {} reads ({}), {} writes ({}), {} flushes; {} seeks, {} from the buffer; busy {}, "
                    "queue {} (most {})\n",
                    count("reads"), gray::cli::format_bytes(count("read_bytes")), count("writes"),
                    gray::cli::format_bytes(count("write_bytes")), count("flushes"), count("seeks"),
                    count("buffered"), gray::cli::format_duration_ns(static_cast<double>(count("busy_ns"))),
                    count("queue_now"), count("queue_max"));
}

}  // namespace

int print_status(bool is_json) {
  nlohmann::json units = nlohmann::json::array();
  for (const std::string& name : unit_names()) units.push_back(unit_json(name));
  std::string text = is_json ? units.dump(1) + "\n" : "";
  if (!is_json) {
    for (const nlohmann::json& unit : units) text += unit_text(unit);
    if (units.empty()) text = "no emulated disk is up\n";
  }
  return gray::cli::print_and_close(text);
}

}  // namespace hddsim
