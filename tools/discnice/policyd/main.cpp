// SPDX-License-Identifier: MIT
// main: the main() of discnice-policyd.
#include "toolbox/cli/diagnostics.hpp"
#include "tools/discnice/policyd/daemon.hpp"
#include "tools/discnice/protocol/segment_guard.hpp"

int main(int argc, char** argv) {
  gray::cli::set_program_name("discnice-policyd");
  discnice::protocol::guard_all_memory();
  return discnice::policyd::daemon_main(argc, argv);
}
