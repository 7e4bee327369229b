// SPDX-License-Identifier: MIT
// main: the main() of microbench, which measures this host once for the other programs. It only selects the sub-command.
#include <string_view>

#include "microbench/subcommands.hpp"
#include "toolbox/cli/command_line.hpp"
#include "toolbox/cli/completion.hpp"
#include "toolbox/cli/diagnostics.hpp"

namespace {

struct Subcommand {
  const char* name;
  int (*main)(int argc, char** argv);
};

constexpr Subcommand kSubcommands[] = {
    {"run", microbench::run_main},       {"list", microbench::list_main},
    {"show", microbench::show_main},     {"explain", microbench::explain_main},
    {"export", microbench::export_main}, {"diff", microbench::diff_main},
    {"forget", microbench::forget_main}, {"report", microbench::report_main},
};

int print_completion(const char* shell) {
  gray::cli::DescribedProgram program{"microbench", {gray::cli::describe("", microbench::run_main)}};
  for (const Subcommand& one : kSubcommands)
    program.commands.push_back(gray::cli::describe(one.name, one.main));
  return gray::cli::print_completion(program, shell);
}

}  // namespace

int main(int argc, char** argv) {
  gray::cli::set_program_name("microbench");
  if (gray::cli::is_completion_asked(argc, argv)) return print_completion(argv[2]);
  const std::string_view first = argc > 1 ? argv[1] : "";
  for (const Subcommand& subcommand : kSubcommands) {
    if (first != subcommand.name) continue;
    gray::cli::set_subcommand_name(first);
    return subcommand.main(argc - 1, argv + 1);
  }
  return microbench::run_main(argc, argv);
}
