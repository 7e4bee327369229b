// SPDX-License-Identifier: MIT
// list: `microbench list`: shows the benchmarks, the keys that they fill, and whether these are known.
#include <algorithm>
#include <cstdio>
#include <ctime>

#include "microbench/record.hpp"
#include "microbench/registry.hpp"
#include "microbench/subcommands.hpp"
#include "toolbox/cli/columns.hpp"
#include "toolbox/cli/command_line.hpp"
#include "toolbox/cli/diagnostics.hpp"
#include "toolbox/cli/options.hpp"
#include "toolbox/repo/device_identity.hpp"
#include "toolbox/repo/repository.hpp"

namespace microbench {
namespace {

using gray::cli::Alignment;
using gray::cli::Cell;
using gray::cli::Column;

struct Row {
  const Benchmark* benchmark;
  std::string keys;
  std::string state;
};

std::string keys_of(const Benchmark& benchmark) {
  std::string keys;
  for (const Output& output : benchmark.outputs) {
    if (output.kind == Kind::kCurve) continue;
    keys += (keys.empty() ? "" : ",") + std::string(output.key);
  }
  return keys;
}

std::string state_of(const Benchmark& benchmark, const std::vector<gray::repo::Parameter>& known,
                     const std::string& device) {
  if (!is_wanted(benchmark, known, device, std::time(nullptr))) return "known";
  if (benchmark.effort_min == Effort::kFull) return "missing: --full measures it";
  const auto of_this = [&](const gray::repo::Parameter& p) {
    return describe(p.key).benchmark == &benchmark && (p.device.empty() || p.device == device);
  };
  const auto first = std::find_if(known.begin(), known.end(), of_this);
  if (first == known.end()) return "missing";
  const bool is_busy = std::any_of(known.begin(), known.end(), [&](const gray::repo::Parameter& p) {
    return of_this(p) && is_busy_value(p);
  });
  return is_busy ? "known, but the host was busy then" : "partly missing or stale";
}

const std::vector<Column<Row>>& columns() {
  static const std::vector<Column<Row>> kColumns = {
      {"NAME", "the benchmark", Alignment::kLeft, true, [](const Row& r) { return Cell(r.benchmark->name); }},
      {"MEASURES", "what it measures", Alignment::kLeft, true,
       [](const Row& r) { return Cell(r.benchmark->what); }},
      {"STATE", "whether its keys are known", Alignment::kLeft, true,
       [](const Row& r) { return Cell(r.state); }},
      {"KEYS", "what it fills in", Alignment::kLeft, true, [](const Row& r) { return Cell(r.keys); }},
  };
  return kColumns;
}

}  // namespace

int list_main(int argc, char** argv) {
  gray::cli::CommandLine app{"Lists the benchmarks and what is known already.", "microbench list"};
  bool is_json = false;
  std::string output;
  std::string directory = ".";
  app.add_flag("--json", is_json, "one JSON array instead of a table");
  app.add_option("-o,--output", output, "which columns: NAME,NAME or +NAME").type_name("LIST");
  app.add_option("--dir", directory, "the file system in question (here)")
      .type_name("PATH")
      .completed_by("DIR");
  app.footer("Columns:\n" + gray::cli::describe_columns(gray::cli::heads_of(columns())));
  if (const auto status = gray::cli::parse(app, argc, argv)) return *status;
  const auto selection = gray::cli::select_columns(gray::cli::heads_of(columns()), output);
  if (!selection.is_ok()) return gray::cli::fail_usage("{}", selection.problem);
  const auto device = gray::repo::device_identity(directory);
  if (!device) {
    return gray::cli::fail(gray::cli::kExitSomeFailed, "'{}': {}", directory,
                           gray::cli::error_text(device.error()));
  }
  const gray::repo::Repository repository(gray::repo::default_places());
  std::vector<gray::repo::Parameter> known = repository.user_file().parameters;
  known.insert(known.end(), repository.host_file().parameters.begin(),
               repository.host_file().parameters.end());
  std::vector<Row> rows;
  for (const Benchmark* benchmark : benchmarks()) {
    rows.push_back({benchmark, keys_of(*benchmark), state_of(*benchmark, known, device.value())});
  }
  const auto format = is_json ? gray::cli::TableFormat::kJson : gray::cli::TableFormat::kText;
  std::fputs(gray::cli::format_rows(columns(), selection, rows, format).c_str(), stdout);
  return gray::cli::close_stdout(0);
}

}  // namespace microbench
