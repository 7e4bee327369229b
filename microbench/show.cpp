// SPDX-License-Identifier: MIT
// show: `microbench show [KEY...]`: prints the known values of this host and their sources.
#include <algorithm>
#include <cstdio>

#include "microbench/curve.hpp"
#include "microbench/quantity.hpp"
#include "microbench/subcommands.hpp"
#include "toolbox/cli/columns.hpp"
#include "toolbox/cli/command_line.hpp"
#include "toolbox/cli/diagnostics.hpp"
#include "toolbox/cli/options.hpp"
#include "toolbox/repo/repository.hpp"

namespace microbench {
namespace {

using gray::cli::Alignment;
using gray::cli::Cell;
using gray::cli::Column;
using gray::repo::Found;

const std::vector<Column<Found>>& columns() {
  static const std::vector<Column<Found>> kColumns = {
      {"KEY", "what it is", Alignment::kLeft, true, [](const Found& f) { return Cell(f.parameter.key); }},
      {"DEVICE", "the file system it is true of; nothing: of the host", Alignment::kLeft, true,
       [](const Found& f) { return f.parameter.device.empty() ? Cell() : Cell(f.parameter.device); }},
      {"VALUE", "the value", Alignment::kRight, true,
       [](const Found& f) {
         return Cell(f.parameter.value, format_quantity(f.parameter.value, f.parameter.unit));
       }},
      {"SPREAD", "how far another run's may lie from it", Alignment::kRight, true,
       [](const Found& f) {
         const auto& p = f.parameter;
         return p.spread ? Cell(*p.spread, format_quantity(*p.spread, p.unit)) : Cell();
       }},
      {"SOURCE", "flag, environment, user, host or default", Alignment::kLeft, true,
       [](const Found& f) { return Cell(gray::repo::source_name(f.source)); }},
      {"DATE", "when it was measured", Alignment::kLeft, true,
       [](const Found& f) { return f.parameter.date == "-" ? Cell() : Cell(f.parameter.date); }},
      {"UNIT", "of value and spread in JSON", Alignment::kLeft, false,
       [](const Found& f) { return Cell(f.parameter.unit); }},
      {"SAMPLES", "how many measurements stand behind it", Alignment::kRight, false,
       [](const Found& f) { return Cell(f.parameter.samples, std::to_string(f.parameter.samples)); }},
      {"METHOD", "how it was measured", Alignment::kLeft, false,
       [](const Found& f) { return Cell(f.parameter.method); }},
  };
  return kColumns;
}

bool is_asked_for(const Found& found, const std::vector<std::string>& keys, bool is_all) {
  const auto point = parse_point(found.parameter.key);
  if (keys.empty()) return is_all || !point;
  return std::any_of(keys.begin(), keys.end(), [&](const std::string& key) {
    return key == found.parameter.key ||
           key == gray::repo::format_name(found.parameter.key, found.parameter.device) ||
           (point && key == point->curve);
  });
}

}  // namespace

int show_main(int argc, char** argv) {
  gray::cli::CommandLine app{"Shows what is known of this host.", "microbench show"};
  bool is_json = false;
  bool is_all = false;
  std::string output;
  std::vector<std::string> keys;
  app.add_flag("--all", is_all, "the points of curves, too");
  app.add_flag("--json", is_json, "one JSON array instead of a table");
  app.add_option("-o,--output", output, "which columns: NAME,NAME or +NAME").type_name("LIST");
  app.add_option("KEY", keys, "only these keys, as KEY or KEY@DEVICE").type_name("");
  app.footer("Columns:\n" + gray::cli::describe_columns(gray::cli::heads_of(columns())));
  if (const auto status = gray::cli::parse(app, argc, argv)) return *status;
  const auto selection = gray::cli::select_columns(gray::cli::heads_of(columns()), output);
  if (!selection.is_ok()) return gray::cli::fail_usage("{}", selection.problem);
  const gray::repo::Repository repository(gray::repo::default_places());
  for (const std::string& problem : repository.problems()) gray::cli::warn("{}", problem);
  std::vector<Found> rows;
  for (Found& found : repository.list()) {
    if (is_asked_for(found, keys, is_all)) rows.push_back(std::move(found));
  }
  if (rows.empty() && !keys.empty()) {
    return gray::cli::fail(gray::cli::kExitSomeFailed,
                           "nothing is known of '{}'; microbench list shows the keys", keys.front());
  }
  const auto format = is_json ? gray::cli::TableFormat::kJson : gray::cli::TableFormat::kText;
  std::fputs(gray::cli::format_rows(columns(), selection, rows, format).c_str(), stdout);
  return gray::cli::close_stdout(0);
}

}  // namespace microbench
