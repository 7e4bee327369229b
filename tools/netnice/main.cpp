// SPDX-License-Identifier: MIT
// main: entry of netnice, which makes the network traffic of a program give way to other programs' traffic. It only chooses the command.
#include <string_view>

#include "toolbox/cli/child.hpp"
#include "toolbox/cli/command_line.hpp"
#include "toolbox/cli/completion.hpp"
#include "toolbox/cli/diagnostics.hpp"
#include "tools/netnice/options.hpp"
#include "tools/netnice/session.hpp"

namespace {

int run_main(int argc, char** argv) {
  netnice::Options options;
  if (const auto status = netnice::read_options(argc, argv, options)) return *status;
  return netnice::run_command(options);
}

int adopt_main(int argc, char** argv) {
  netnice::Options options;
  if (const auto status = netnice::read_adopt_options(argc, argv, options)) return *status;
  return netnice::run_adopted(options);
}

}  // namespace

int main(int argc, char** argv) {
  gray::cli::occupy_standard_descriptors();
  gray::cli::set_program_name("netnice");
  if (gray::cli::is_completion_asked(argc, argv))
    return gray::cli::print_completion(
        {"netnice", {gray::cli::describe("", run_main), gray::cli::describe("adopt", adopt_main)}}, argv[2]);
  if (argc < 2 || std::string_view(argv[1]) != "adopt") return run_main(argc, argv);
  gray::cli::set_subcommand_name("adopt");
  return adopt_main(argc - 1, argv + 1);
}
