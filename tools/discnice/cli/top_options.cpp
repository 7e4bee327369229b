// SPDX-License-Identifier: MIT
#include "tools/discnice/cli/top_options.hpp"

#include "toolbox/cli/command_line.hpp"

namespace discnice::cli {

std::optional<int> read_top_options(int argc, char** argv, const std::string& columns, TopOptions& options) {
  gray::cli::CommandLine app{
      "Shows what the jobs of this user do right now; on a terminal again and again, with keys to pause a "
      "job, let it go on and set its rate.",
      "discnice top"};
  app.add_flag("--json", options.is_json, "one JSON array, once");
  app.add_flag("-1,--once", options.is_once, "once, also on a terminal");
  app.add_flag("-P,--processes", options.has_processes, "each process as well");
  app.add_option("-o,--output", options.output, "which columns: NAME,NAME or +NAME; once, also on a terminal")
      .type_name("LIST");
  app.footer("Columns:\n" + columns);
  return gray::cli::parse(app, argc, argv);
}

}  // namespace discnice::cli
