// SPDX-License-Identifier: MIT
// report: `microbench report --html FILE`.
#include "microbench/subcommands.hpp"
#include "toolbox/cli/diagnostics.hpp"
namespace microbench {
int report_main(int, char**) {
  return gray::cli::fail_usage("not yet");
}
}  // namespace microbench
