// SPDX-License-Identifier: MIT
// main: the main function of gb-grep, the paper's grep that reads cached files first and the others in their order on disk ("Information and Control in Gray-Box Systems", SOSP
// 2001, sections 4.1 and 4.2). gbp's code finds the order; grep does the search.
#include <string>
#include <vector>

#include "toolbox/cli/completion.hpp"
#include "toolbox/cli/diagnostics.hpp"
#include "toolbox/cli/options.hpp"
#include "tools/gb-grep/command_line.hpp"
#include "tools/gb-grep/grep_program.hpp"
#include "tools/gb-grep/runs.hpp"
#include "tools/gb-grep/tree.hpp"
#include "tools/gbp/cost.hpp"
#include "tools/gbp/order.hpp"

namespace {

constexpr int kTrouble = 2;

constexpr char kHelp[] =
    "Usage: gb-grep [OPTION]... PATTERNS [FILE]...\n"
    "\n"
    "Is grep, but for the order in which it reads FILEs: what is in memory first, then as they lie on disk.\n"
    "Takes grep's options (see grep --help), and:\n"
    "\n"
    "  --sorted   print in the order of plain grep; lines come later, and wait in a file in $TMPDIR\n"
    "  --help     this\n"
    "  -V, --version\n"
    "\n"
    "Example: gb-grep -rn --include='*.log' 'disk full' /var/log\n"
    "\n"
    "Exit status: grep's, 0 found, 1 not found, 2 trouble or usage.\n";

std::vector<gbp::File> order(const gbp::Names& names) {
  gbp::Wanted wanted;
  wanted.host = gbp::Host(names[0], true);
  return gbp::OrderedFiles(names, wanted, {}).in_order();
}

int search(const gb_grep::Reading& reading) {
  const std::string program = gb_grep::find_grep();
  if (program.empty()) return gray::cli::fail(kTrouble, "no grep in $PATH");
  if (reading.way == gb_grep::Way::plain_grep) return gb_grep::become_grep(program, reading.plain);
  const gbp::Names names = gb_grep::find_files(reading.line);
  if (names.size() < 2) return gb_grep::become_grep(program, reading.plain);
  return gb_grep::run_over(program, reading.line, order(names));
}

// At the time of completion, the installed grep is asked for its options.
int print_completion(const char* shell) {
  gray::cli::DescribedCommand command;
  command.options = {{{"--sorted"}, {}, "print in the order of plain grep"},
                     {{"--help"}, {}, "what it does"},
                     {{"-V", "--version"}, {}, "print the version and exit"}};
  command.arguments = {{"FILE"}};
  command.is_last_repeated = true;
  return gray::cli::print_completion({"gb-grep", {command}, "grep"}, shell);
}

}  // namespace

int main(int argc, char** argv) {
  gray::cli::set_program_name("gb-grep");
  if (gray::cli::is_completion_asked(argc, argv)) return print_completion(argv[2]);
  const gb_grep::Reading reading = gb_grep::read_command_line(argc, argv);
  switch (reading.way) {
    case gb_grep::Way::help:
      return gray::cli::print_and_close(kHelp);
    case gb_grep::Way::version:
      return gray::cli::print_and_close(gray::cli::version_text() + "\n");
    case gb_grep::Way::usage:
      return gray::cli::fail_usage("grep has no option '{}'", reading.unknown);
    default:
      return search(reading);
  }
}
