// SPDX-License-Identifier: MIT
// main: of discnice, which holds background work to a disk rate. Only picks the sub-command.
#include <string_view>

#include "toolbox/cli/diagnostics.hpp"
#include "tools/discnice/cli/subcommands.hpp"
#include "tools/discnice/protocol/segment_guard.hpp"

int main(int argc, char** argv) {
  gray::cli::set_program_name("discnice");
  discnice::protocol::guard_all_memory();
  const std::string_view first = argc > 1 ? argv[1] : "";
  if (first == "status") return discnice::cli::status_main(argc - 1, argv + 1);
  if (first == "adopt") return discnice::cli::adopt_main(argc - 1, argv + 1);
  if (first == "release") return discnice::cli::release_main(argc - 1, argv + 1);
  if (first == "explain") return discnice::cli::explain_main(argc - 1, argv + 1);
  if (first == "doctor") return discnice::cli::doctor_main(argc - 1, argv + 1);
  if (first == "verify") return discnice::cli::verify_main(argc - 1, argv + 1);
  if (first == "set") return discnice::cli::set_main(argc - 1, argv + 1);
  if (first == "top") return discnice::cli::top_main(argc - 1, argv + 1);
  if (first == "report") return discnice::cli::report_main(argc - 1, argv + 1);
  if (first == "policies") return discnice::cli::policies_main(argc - 1, argv + 1);
  if (first == "replay") return discnice::cli::replay_main(argc - 1, argv + 1);
  if (first == "run") return discnice::cli::run_main(argc - 1, argv + 1);
  return discnice::cli::run_main(argc, argv);
}
