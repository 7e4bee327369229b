// SPDX-License-Identifier: MIT
#include "tools/heapnice/report.hpp"

#include <nlohmann/json.hpp>

#include "toolbox/base/units.hpp"
#include "toolbox/cli/options.hpp"
#include "tools/heapnice/change_log.hpp"

namespace heapnice {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kSchema = 1;
constexpr int kIndent = 2;

Json change_of(const Change& change) {
  return {{"after_s", static_cast<double>(change.after_ns) / gray::base::kNanosecondsPerSecond},
          {"pid", change.pid},
          {"verdict", name_of(change.verdict)},
          {"reason", name_of(change.reason)},
          {"bytes", change.bytes},
          {"heap_bytes", change.heap_bytes},
          {"live_bytes", change.live_bytes},
          {"room_bytes", change.room_bytes}};
}

}  // namespace

std::string report_text(const std::vector<std::string>& command, const Account& account, int status) {
  Json changes = Json::array();
  for (const Change& change : account.changes) changes.push_back(change_of(change));
  const Json all = {{"schema", kSchema},
                    {"command", command},
                    {"runtime", account.runtime},
                    {"collector", account.collector},
                    {"environment", account.environment},
                    {"notes", account.notes},
                    {"changes", changes},
                    {"changes_dropped", account.changes_dropped},
                    {"ordered_collections", account.ordered_collections},
                    {"status", status}};
  // A word of the command may hold any bytes.
  return all.dump(kIndent, ' ', false, Json::error_handler_t::replace) + "\n";
}

int write_report(std::FILE* stream, const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stream);
  return gray::cli::close_stream(stream);
}

}  // namespace heapnice
