// SPDX-License-Identifier: MIT
#include "tools/gb-wss/options.hpp"

#include <charconv>
#include <limits>

#include "toolbox/cli/command_line.hpp"
#include "toolbox/cli/diagnostics.hpp"
#include "toolbox/cli/quantities.hpp"

namespace gb_wss {
namespace {

constexpr std::size_t kLooksMin = 3;
constexpr std::size_t kLooksMax = 32;
constexpr std::size_t kWindowsMax = 1000;
constexpr std::uint64_t kSpanMinNs = 10'000'000;
constexpr std::uint64_t kSpanMaxNs = 24 * std::uint64_t{3'600'000'000'000};

constexpr char kFooter[] =
    "The marks of use are taken from all pages of the process, and then counted again and again. To the "
    "kernel its memory looks idle until it is used again: if memory gets "
    "short right then, pages of this process may go first. Where it is short already, nothing is done.\n"
    "Exit status: 0; 1 if a process could not be watched, or memory is short; 2 usage.\n"
    "\n"
    "Examples:\n"
    "  gb-wss $(pidof -s postgres)                   how much of its memory does it work with?\n"
    "  gb-wss --tree $PPID                            all that runs in this terminal\n"
    "  gb-wss --span 5m --windows 3 1234             slow rounds need long windows\n"
    "  gb-wss --cgroup /sys/fs/cgroup/app.slice --json\n";

template <typename T>
bool read_number(const std::string& text, T least, T most, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size() && value >= least && value <= most;
}

auto number_into(std::size_t& target, std::size_t least, std::size_t most) {
  return [&target, least, most](const std::string& text) -> std::string {
    if (read_number(text, least, most, target)) return "";
    return fmt::format("'{}' is no number from {} to {}", gray::cli::escape_controls(text), least, most);
  };
}

bool read_pids(const std::vector<std::string>& words, std::vector<pid_t>& pids, std::string& wrong) {
  for (const std::string& word : words) {
    pid_t pid = 0;
    wrong = word;
    if (!read_number(word, 1, std::numeric_limits<pid_t>::max(), pid)) return false;
    pids.push_back(pid);
  }
  return true;
}

}  // namespace

std::optional<int> read_options(int argc, char** argv, Options& options) {
  gray::cli::CommandLine line{
      "Shows how much of its memory a process works with: what it touches within growing times.", "gb-wss"};
  std::vector<std::string> pids;
  std::vector<std::string> trees;
  line.add_option("PID", pids, "a process").type_name("").completed_by("PROCESS");
  line.add_option("--tree", trees, "a process and all its descendants; may be repeated")
      .one_value_each()
      .type_name("PID")
      .completed_by("PROCESS");
  line.add_option("--cgroup", options.cgroups,
                  "all processes of a control group and of those below it; may be repeated")
      .one_value_each()
      .type_name("DIR");
  gray::cli::add_duration_option(line, "--span", options.span_ns,
                                 "the longest time (default 10s, or what keeps the cost below 1 % of it)");
  line.add_option("--looks", number_into(options.looks, kLooksMin, kLooksMax),
                  "so many times, each twice the one before (default 8)")
      .type_name("NUMBER");
  line.add_option("--windows", number_into(options.windows, 1, kWindowsMax),
                  "do it so often, and take the mean (default 1)")
      .type_name("NUMBER");
  line.add_flag("--anyway", options.is_forced,
                "also while memory is short, when it may cost the process pages");
  line.add_flag("--json", options.is_json, "one JSON object");
  line.usage("Usage: gb-wss [OPTIONS] [PID...]");
  line.group("Whose memory", {"--tree", "--cgroup"});
  line.group("For how long", {"--span", "--looks", "--windows", "--anyway"});
  line.footer(kFooter);
  if (const auto status = gray::cli::parse(line, argc, argv)) return status;
  std::string wrong;
  if (!read_pids(pids, options.pids, wrong) || !read_pids(trees, options.trees, wrong))
    return gray::cli::fail_usage("'{}' is not the number of a process", gray::cli::escape_controls(wrong));
  if (options.pids.empty() && options.trees.empty() && options.cgroups.empty())
    return gray::cli::fail_usage("whose memory? Write gb-wss PID, --tree PID or --cgroup FOLDER");
  if (options.span_ns != 0 && (options.span_ns < kSpanMinNs || options.span_ns > kSpanMaxNs))
    return gray::cli::fail_usage("--span is at least 10ms and at most 24h");
  return std::nullopt;
}

}  // namespace gb_wss
