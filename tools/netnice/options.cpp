// SPDX-License-Identifier: MIT
#include "tools/netnice/options.hpp"

#include <charconv>

#include "toolbox/cli/command_line.hpp"
#include "toolbox/cli/diagnostics.hpp"
#include "toolbox/cli/quantities.hpp"

namespace netnice {
namespace {

constexpr char kFooter[] =
    "Whatever CMD and its children send and receive by TCP gives way to others on the same path, and has the "
    "line to itself when "
    "nobody else wants it. Under a rate it keeps to the rate instead, with what programs that use libc move "
    "by "
    "UDP, which QUIC runs over. Without a rate UDP is not held.\n"
    "Exit status: CMD's; 2 usage, 125 if nothing can be held here, 126 or 127 if CMD can't be started.\n"
    "\n"
    "Examples:\n"
    "  netnice -- rsync -a photos/ backup:photos/\n"
    "  netnice --rate 1M -- curl -O https://example.org/large.iso\n"
    "  netnice adopt 4711\n";

constexpr char kAdoptFooter[] =
    "They and their children are held until Ctrl-C, or until they have ended; then all is as before. What "
    "they "
    "move by UDP is not held.\n"
    "Exit status: 0; 1 if one of them can't be held, 2 usage, 125 if nothing can be held here.\n"
    "\n"
    "Examples:\n"
    "  netnice adopt 4711\n"
    "  netnice adopt --down 5M $(pgrep steam)\n";

// The values of the command line, before they are checked.
struct Given {
  std::uint64_t rate = 0;
  std::uint64_t up = 0;
  std::uint64_t down = 0;
  bool gives_way = false;
};

void define(gray::cli::Command& line, Options& options, Given& given) {
  gray::cli::add_rate_option(line, "--rate", given.rate, "hold it to this rate, each way");
  gray::cli::add_rate_option(line, "--up", given.up, "hold what it sends to this rate");
  gray::cli::add_rate_option(line, "--down", given.down, "hold what it receives to this rate");
  line.add_flag("--give-way", given.gives_way, "with a rate: give way below it, too");
  line.add_flag("-q,--quiet", options.is_quiet, "say nothing at the end");
  line.add_flag("--json", options.is_json, "say what happened as JSON, on standard error");
  line.add_option("--report", options.report_file, "write that to this file, as JSON").type_name("FILE");
  line.add_option("--trace", options.trace_file, "write a line a moment and path to this file")
      .type_name("FILE");
  line.group("How much", {"--rate", "--up", "--down", "--give-way"});
  line.group("What is told", {"--quiet", "--json", "--report", "--trace"});
}

std::optional<int> take(const Given& given, Options& options) {
  const std::uint64_t rates[] = {given.up != 0 ? given.up : given.rate,
                                 given.down != 0 ? given.down : given.rate};
  bool has_rate = false;
  for (int way = 0; way < 2; ++way) {
    if (rates[way] == 0) continue;
    has_rate = true;
    options.limits.rates_bytes_per_s[way] = rates[way];
  }
  if (given.gives_way && !has_rate)
    return gray::cli::fail_usage(
        "--give-way goes with --rate, --up or --down: without a rate it gives way anyway");
  options.limits.gives_way = given.gives_way || !has_rate;
  return std::nullopt;
}

std::optional<int> read_pid(const std::string& word, std::vector<pid_t>& pids) {
  pid_t pid = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), pid);
  if (error != std::errc{} || end != word.data() + word.size() || pid <= 0)
    return gray::cli::fail_usage("'{}' is no process: write its number", gray::cli::escape_controls(word));
  pids.push_back(pid);
  return std::nullopt;
}

}  // namespace

std::optional<int> read_options(int argc, char** argv, Options& options) {
  gray::cli::CommandLine line{
      "Runs CMD in the background's place on the network: it gives way to whoever else uses the same line.",
      "netnice"};
  Given given;
  define(line, options, given);
  line.usage("Usage: netnice [OPTIONS] [--] CMD [ARG...]\n       netnice adopt [OPTIONS] PID...");
  line.prefix_command();
  line.refuse_empty_values();
  line.footer(kFooter);
  if (const auto status = gray::cli::parse(line, argc, argv)) return status;
  if (const auto status = gray::cli::take_command(line, argc, argv, options.command)) return status;
  if (options.command.empty()) return gray::cli::fail_usage("no command to run: write netnice -- CMD");
  return take(given, options);
}

std::optional<int> read_adopt_options(int argc, char** argv, Options& options) {
  gray::cli::CommandLine line{"Has processes that run already give way on the network.", "netnice adopt"};
  Given given;
  std::vector<std::string> words;
  define(line, options, given);
  line.add_option("PID", words, "the number of a process").type_name("PID").completed_by("PROCESS");
  line.usage("Usage: netnice adopt [OPTIONS] PID...");
  line.refuse_empty_values();
  line.footer(kAdoptFooter);
  if (const auto status = gray::cli::parse(line, argc, argv)) return status;
  if (words.empty()) return gray::cli::fail_usage("no process to adopt: write netnice adopt PID");
  for (const std::string& word : words)
    if (const auto status = read_pid(word, options.pids)) return status;
  return take(given, options);
}

}  // namespace netnice
