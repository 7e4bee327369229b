// SPDX-License-Identifier: MIT
// main: of microbench, which measures this host once so that the other programs know it. Only picks the sub-command.
#include <string_view>

#include "microbench/subcommands.hpp"
#include "toolbox/cli/diagnostics.hpp"

namespace {

struct Subcommand {
  std::string_view name;
  int (*main)(int argc, char** argv);
};

constexpr Subcommand kSubcommands[] = {
    {"run", microbench::run_main},       {"list", microbench::list_main},
    {"show", microbench::show_main},     {"explain", microbench::explain_main},
    {"export", microbench::export_main}, {"diff", microbench::diff_main},
    {"forget", microbench::forget_main}, {"report", microbench::report_main},
};

}  // namespace

int main(int argc, char** argv) {
  gray::cli::set_program_name("microbench");
  const std::string_view first = argc > 1 ? argv[1] : "";
  for (const Subcommand& subcommand : kSubcommands) {
    if (first == subcommand.name) return subcommand.main(argc - 1, argv + 1);
  }
  return microbench::run_main(argc, argv);
}
