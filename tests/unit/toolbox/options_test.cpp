// SPDX-License-Identifier: MIT
// options_test: exit status and streams of --help, --version, right and wrong command lines, and a stdout
// that cannot be written.
//
// How: a small program runs in a forked child with its streams captured. Left out: sub-commands of the
// real programs, which tests/cli runs.
#include "toolbox/cli/options.hpp"

#include <fcntl.h>

#include <algorithm>
#include <cstdint>
#include <iostream>

#include "tests/support/catch.hpp"
#include "tests/unit/toolbox/captured_child.hpp"
#include "toolbox/cli/command_line.hpp"
#include "toolbox/cli/diagnostics.hpp"
#include "toolbox/cli/quantities.hpp"

using namespace gray::cli;

namespace {

CapturedChild run_program(std::vector<const char*> arguments, int stdout_fd = -1) {
  arguments.insert(arguments.begin(), "dir/prog");
  return run_captured(
      [&] {
        set_program_name(arguments[0]);
        CommandLine app{"a program"};
        std::uint64_t rate = 0;
        std::string needed;
        add_rate_option(app, "-r,--rate", rate, "how fast");
        app.add_option("--needed", needed, "a text").required();
        if (const auto status = parse(app, static_cast<int>(arguments.size()), arguments.data())) {
          return *status;
        }
        std::printf("rate %llu\n", static_cast<unsigned long long>(rate));
        return close_stdout(kExitSuccess);
      },
      stdout_fd);
}

// Prints the words of the command that a launcher would run, one on each line.
CapturedChild run_launcher(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "launcher");
  return run_captured([&] {
    CommandLine app{"a launcher"};
    std::uint64_t rate = 0;
    std::vector<std::string> command;
    add_rate_option(app, "--rate", rate, "how fast");
    std::string file;
    std::vector<std::string> names;
    app.add_option("--file", file, "where to").type_name("FILE");
    app.add_option("--name", names, "who").one_value_each();
    app.prefix_command();
    const int count = static_cast<int>(arguments.size());
    if (const auto status = parse(app, count, arguments.data())) return *status;
    if (const auto status = take_command(app, count, arguments.data(), command)) return *status;
    for (const std::string& word : command) std::printf("%s\n", word.c_str());
    return close_stdout(kExitSuccess);
  });
}

std::size_t line_count(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

}  // namespace

TEST_CASE("--help goes to stdout and succeeds even where a required option is missing", "[cli]") {
  const auto child = run_program({"--help"});
  CHECK(child.exit_status == 0);
  CHECK(child.stderr_text.empty());
  CHECK(child.stdout_text.find("--rate RATE") != std::string::npos);
  CHECK(child.stdout_text.find("--version") != std::string::npos);
}

TEST_CASE("--version is one line on stdout", "[cli]") {
  const auto child = run_program({"--version"});
  CHECK(child.exit_status == 0);
  CHECK(child.stderr_text.empty());
  CHECK(child.stdout_text.rfind("prog (Gray Toolbox) ", 0) == 0);
  CHECK(line_count(child.stdout_text) == 1);
}

TEST_CASE("a right command line runs", "[cli]") {
  const auto child = run_program({"--rate", "5M", "--needed", "x"});
  CHECK(child.exit_status == 0);
  CHECK(child.stdout_text == "rate 5242880\n");
}

TEST_CASE("every wrong command line is one line on stderr, nothing on stdout, exit 2", "[cli]") {
  const auto arguments =
      GENERATE(std::vector<const char*>{"--wrong", "--needed", "x"}, std::vector<const char*>{"--needed"},
               std::vector<const char*>{}, std::vector<const char*>{"--rate", "fast\n", "--needed", "x"},
               std::vector<const char*>{"surplus\nline", "--needed", "x"});
  const auto child = run_program(arguments);
  CHECK(child.exit_status == 2);
  CHECK(child.stdout_text.empty());
  CHECK(line_count(child.stderr_text) == 1);
  CHECK(child.stderr_text.rfind("prog: ", 0) == 0);
  CHECK(child.stderr_text.find("Try 'prog --help'") != std::string::npos);
}

TEST_CASE("the line names the option, the text that was wrong and what would be right", "[cli]") {
  const auto rate = run_program({"--rate", "fast", "--needed", "x"}).stderr_text;
  CHECK(rate.find("--rate") != std::string::npos);
  CHECK(rate.find("'fast'") != std::string::npos);
  CHECK(rate.find("5MB/s") != std::string::npos);
  CHECK(run_program({"--wrong", "--needed", "x"}).stderr_text.find("--wrong") != std::string::npos);
}

TEST_CASE("a full disk under stdout is reported and fails the program", "[cli]") {
  const int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
  REQUIRE(full >= 0);
  for (const auto& arguments :
       {std::vector<const char*>{"--help"}, std::vector<const char*>{"--needed", "x"}}) {
    const auto child = run_program(arguments, full);
    CHECK(child.exit_status == 1);
    CHECK(child.stderr_text == "prog: cannot write to standard output: No space left on device\n");
  }
  close(full);
}

TEST_CASE("a failure already known keeps its status when stdout is lost too", "[cli]") {
  const int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
  const auto child = run_captured(
      [] {
        std::puts("x");
        return close_stdout(kExitToolFailed);
      },
      full);
  CHECK(child.exit_status == kExitToolFailed);
  close(full);
}

TEST_CASE("what was written with iostream is checked as well", "[cli]") {
  const int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
  const auto child = run_captured(
      [] {
        std::cout << "x" << std::flush;
        return close_stdout(kExitSuccess);
      },
      full);
  CHECK(child.exit_status == kExitSomeFailed);
  close(full);
}

TEST_CASE("a stdout that was closed from the start is no error while nothing is written", "[cli]") {
  CHECK(run_captured([] {
          close(STDOUT_FILENO);
          return close_stdout(kExitSuccess);
        }).exit_status == kExitSuccess);
  CHECK(run_captured([] {
          close(STDOUT_FILENO);
          std::puts("x");
          return close_stdout(kExitSuccess);
        }).exit_status == kExitSomeFailed);
}

TEST_CASE("a launcher's command begins at the first word that is no option, or behind the dashes", "[cli]") {
  CHECK(run_launcher({"--rate", "5M", "cp", "-r", "--", "a"}).stdout_text == "cp\n-r\n--\na\n");
  CHECK(run_launcher({"--rate", "5M", "--", "cp", "-r"}).stdout_text == "cp\n-r\n");
  CHECK(run_launcher({"--", "--odd", "-r"}).stdout_text == "--odd\n-r\n");
  CHECK(run_launcher({"-", "word"}).stdout_text == "-\nword\n");
  CHECK(run_launcher({"--rate", "5M"}).stdout_text.empty());
  CHECK(run_launcher({"--"}).stdout_text.empty());
}

TEST_CASE("a misspelt option before the command is none of its words", "[cli]") {
  for (const auto& line : std::vector<std::vector<const char*>>{
           {"--rat", "5M", "--", "cp"}, {"--rat", "5M", "cp"}, {"--rate", "5M", "-x", "cp"}}) {
    const auto child = run_launcher(line);
    CHECK(child.exit_status == 2);
    CHECK(child.stdout_text.empty());
    CHECK(line_count(child.stderr_text) == 1);
  }
  CHECK(run_launcher({"--rat", "5M", "cp"}).stderr_text.find("perhaps --rate") != std::string::npos);
}

TEST_CASE("the mark behind which the options end is no option's value", "[cli]") {
  for (const char* option : {"--file", "--name", "--rate"}) {
    const auto child = run_launcher({option, "--", "cp"});
    INFO(option << ": " << child.stderr_text);
    CHECK(child.exit_status == 2);
    CHECK(child.stdout_text.empty());
    CHECK(line_count(child.stderr_text) == 1);
    CHECK(child.stderr_text.find(option) != std::string::npos);
    CHECK(child.stderr_text.find("the value is missing") != std::string::npos);
  }
  CHECK(run_launcher({"--file", "./--", "--", "cp"}).stdout_text == "cp\n");
  CHECK(run_launcher({"--file", "a", "--name", "b", "--", "cp", "--"}).stdout_text == "cp\n--\n");
}
