// SPDX-License-Identifier: MIT
// diff: `microbench diff A B`: shows two exports side by side, and which differences are more than chance.
#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>
#include <sstream>

#include "microbench/curve.hpp"
#include "microbench/json_record.hpp"
#include "microbench/quantity.hpp"
#include "microbench/subcommands.hpp"
#include "toolbox/cli/columns.hpp"
#include "toolbox/cli/command_line.hpp"
#include "toolbox/cli/diagnostics.hpp"
#include "toolbox/cli/options.hpp"

namespace microbench {
namespace {

using gray::cli::Alignment;
using gray::cli::Cell;
using gray::repo::Parameter;

constexpr std::string_view kCurrent = "current";

struct Row {
  std::string name;
  const Parameter* a = nullptr;
  const Parameter* b = nullptr;
};

JsonRecord load(const std::string& path) {
  if (path == kCurrent) {
    const gray::repo::Repository repository(gray::repo::default_places());
    return from_json(to_json(repository).dump());
  }
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  if (!file) return {{}, gray::cli::error_text(errno)};
  return from_json(text.str());
}

Cell cell_of(const Parameter* p) {
  return p == nullptr ? Cell() : Cell(p->value, format_quantity(p->value, p->unit));
}

Cell change_of(const Row& row) {
  if (row.a == nullptr || row.b == nullptr || row.a->value <= 0) return Cell();
  const double change = row.b->value / row.a->value - 1;
  return {change, fmt::format("{:+.1f} %", change * 100)};
}

// Beyond the spread that either run gives for itself.
Cell is_real(const Row& row) {
  if (row.a == nullptr || row.b == nullptr) return Cell();
  const double spread = row.a->spread.value_or(0) + row.b->spread.value_or(0);
  const bool is_beyond = std::fabs(row.a->value - row.b->value) > spread;
  return {is_beyond, is_beyond ? "yes" : "no"};
}

const std::vector<gray::cli::Column<Row>>& columns() {
  static const std::vector<gray::cli::Column<Row>> kColumns = {
      {"KEY", "KEY or KEY@DEVICE", Alignment::kLeft, true, [](const Row& r) { return Cell(r.name); }},
      {"A", "the first one's value", Alignment::kRight, true, [](const Row& r) { return cell_of(r.a); }},
      {"B", "the second one's value", Alignment::kRight, true, [](const Row& r) { return cell_of(r.b); }},
      {"CHANGE", "from A to B", Alignment::kRight, true, change_of},
      {"BEYOND_SPREAD", "whether it is more than both spreads together", Alignment::kLeft, true, is_real},
  };
  return kColumns;
}

bool has_changed(const Row& row) {
  return row.a == nullptr || row.b == nullptr || row.a->value != row.b->value;
}

std::vector<Row> rows_of(const JsonRecord& a, const JsonRecord& b) {
  std::map<std::string, Row> rows;
  for (const Parameter& p : a.parameters) rows[gray::repo::format_name(p.key, p.device)].a = &p;
  for (const Parameter& p : b.parameters) rows[gray::repo::format_name(p.key, p.device)].b = &p;
  std::vector<Row> all;
  for (auto& [name, row] : rows) {
    const Parameter& any = row.a != nullptr ? *row.a : *row.b;
    if (parse_point(any.key)) continue;
    row.name = name;
    all.push_back(row);
  }
  return all;
}

}  // namespace

int diff_main(int argc, char** argv) {
  gray::cli::CommandLine app{"Compares two records.", "microbench diff"};
  bool is_json = false;
  std::string a_path;
  std::string b_path;
  app.add_flag("--json", is_json, "one JSON array instead of a table");
  bool is_all = false;
  app.add_flag("--all", is_all, "also what has the same value in both");
  app.add_option("A", a_path, "a file written by export --json, or the word current")
      .type_name("")
      .completed_by("FILE", {"current"})
      .required();
  app.add_option("B", b_path, "another").type_name("").completed_by("FILE", {"current"}).required();
  app.footer("Columns:\n" + gray::cli::describe_columns(gray::cli::heads_of(columns())));
  if (const auto status = gray::cli::parse(app, argc, argv)) return *status;
  const JsonRecord a = load(a_path);
  const JsonRecord b = load(b_path);
  if (!a.problem.empty() || !b.problem.empty()) {
    const bool is_a = !a.problem.empty();
    return gray::cli::fail(gray::cli::kExitSomeFailed, "cannot compare '{}': {}", is_a ? a_path : b_path,
                           is_a ? a.problem : b.problem);
  }
  const auto selection = gray::cli::select_columns(gray::cli::heads_of(columns()), "");
  const auto format = is_json ? gray::cli::TableFormat::kJson : gray::cli::TableFormat::kText;
  std::vector<Row> rows = rows_of(a, b);
  if (!is_all) std::erase_if(rows, [](const Row& row) { return !has_changed(row); });
  std::fputs(gray::cli::format_rows(columns(), selection, rows, format).c_str(), stdout);
  return gray::cli::close_stdout(0);
}

}  // namespace microbench
