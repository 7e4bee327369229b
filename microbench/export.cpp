// SPDX-License-Identifier: MIT
// export: `microbench export --json`: prints all known values for other programs.
#include <cstdio>

#include "microbench/json_record.hpp"
#include "microbench/subcommands.hpp"
#include "toolbox/cli/command_line.hpp"
#include "toolbox/cli/diagnostics.hpp"
#include "toolbox/cli/options.hpp"

namespace microbench {

int export_main(int argc, char** argv) {
  gray::cli::CommandLine app{"Writes everything known of this host for other programs.", "microbench export"};
  bool is_json = false;
  app.add_flag("--json", is_json, "as one JSON object, the only form there is");
  if (const auto status = gray::cli::parse(app, argc, argv)) return *status;
  const gray::repo::Repository repository(gray::repo::default_places());
  for (const std::string& problem : repository.problems()) gray::cli::warn("{}", problem);
  const std::string text =
      to_json(repository).dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  std::fputs(text.c_str(), stdout);
  return gray::cli::close_stdout(0);
}

}  // namespace microbench
