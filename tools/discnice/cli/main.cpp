// SPDX-License-Identifier: MIT
// main: the program discnice, which holds background work to a disk rate. This file only selects the sub-command.
#include <string_view>

#include "toolbox/cli/child.hpp"
#include "toolbox/cli/command_line.hpp"
#include "toolbox/cli/completion.hpp"
#include "toolbox/cli/diagnostics.hpp"
#include "tools/discnice/cli/subcommands.hpp"
#include "tools/discnice/protocol/segment_guard.hpp"

namespace {

using namespace discnice::cli;

struct Subcommand {
  const char* name;
  int (*main)(int argc, char** argv);
};

constexpr Subcommand kSubcommands[] = {
    {"run", run_main},         {"status", status_main}, {"set", set_main},       {"adopt", adopt_main},
    {"release", release_main}, {"top", top_main},       {"report", report_main}, {"policies", policies_main},
    {"explain", explain_main}, {"doctor", doctor_main}, {"verify", verify_main}, {"replay", replay_main},
};

int print_completion(const char* shell) {
  gray::cli::DescribedProgram program{"discnice", {gray::cli::describe("", run_main)}};
  for (const Subcommand& one : kSubcommands) {
    const bool is_apart = one.main == top_main;
    program.commands.push_back(gray::cli::describe(one.name, is_apart ? describe_top : one.main));
  }
  return gray::cli::print_completion(program, shell);
}

}  // namespace

int main(int argc, char** argv) {
  gray::cli::occupy_standard_descriptors();
  gray::cli::set_program_name("discnice");
  discnice::protocol::guard_all_memory();
  if (gray::cli::is_completion_asked(argc, argv)) return print_completion(argv[2]);
  const std::string_view first = argc > 1 ? argv[1] : "";
  for (const Subcommand& one : kSubcommands) {
    if (first != one.name) continue;
    gray::cli::set_subcommand_name(first);
    return one.main(argc - 1, argv + 1);
  }
  return run_main(argc, argv);
}
