// SPDX-License-Identifier: MIT
// policies: `discnice policies`: lists the policies and tells what each of them does.
#include <cstdio>

#include "toolbox/cli/columns.hpp"
#include "toolbox/cli/command_line.hpp"
#include "toolbox/cli/options.hpp"
#include "tools/discnice/cli/subcommands.hpp"
#include "tools/discnice/policy/registry.hpp"

namespace discnice::cli {
namespace {

using gray::cli::Alignment;
using gray::cli::Cell;
using gray::cli::Column;
using policy::Policy;

const std::vector<Column<Policy>>& columns() {
  static const std::vector<Column<Policy>> kColumns = {
      {"NAME", "as --policy takes it", Alignment::kLeft, true, [](const Policy& p) { return Cell(p.name); }},
      {"NEEDS_RATE", "whether it needs a limit", Alignment::kLeft, true,
       [](const Policy& p) { return Cell(p.needs_rate, p.needs_rate ? "yes" : "no"); }},
      {"SUMMARY", "what it does", Alignment::kLeft, true, [](const Policy& p) { return Cell(p.summary); }},
  };
  return kColumns;
}

}  // namespace

int policies_main(int argc, char** argv) {
  gray::cli::CommandLine app{"Names the policies and says what each does.", "discnice policies"};
  bool is_json = false;
  app.add_flag("--json", is_json, "one JSON array instead of a table");
  if (const auto status = gray::cli::parse(app, argc, argv)) return *status;
  std::vector<Policy> rows;
  for (std::uint32_t id = 0; id < policy::policy_count(); ++id) rows.push_back(policy::policy_by_id(id));
  const auto selection = gray::cli::select_columns(gray::cli::heads_of(columns()), "");
  const auto format = is_json ? gray::cli::TableFormat::kJson : gray::cli::TableFormat::kText;
  std::fputs(gray::cli::format_rows(columns(), selection, rows, format).c_str(), stdout);
  return gray::cli::close_stdout(0);
}

}  // namespace discnice::cli
