// SPDX-License-Identifier: MIT
#include "microbench/run_options.hpp"

#include "microbench/registry.hpp"
#include "toolbox/cli/command_line.hpp"
#include "toolbox/cli/diagnostics.hpp"
#include "toolbox/cli/options.hpp"

namespace microbench {
namespace {

constexpr char kFooter[] =
    "Sub-commands (each has --help): run (the default), list, show, explain, export, diff, forget, report.\n"
    "\n"
    "Nothing is recorded unless the whole run ends. What is interrupted leaves no file behind.\n"
    "\n"
    "Examples:\n"
    "  microbench                     measure what is missing, on the file system of this folder\n"
    "  microbench --dir /data --full  take time, and narrow intervals\n"
    "  microbench explain disk.miss_ns\n"
    "  microbench report --html host.html\n";

const Benchmark* find_wanted(const std::string& name) {
  const Benchmark* benchmark = find_benchmark(name);
  return benchmark != nullptr ? benchmark : describe(name).benchmark;
}

}  // namespace

std::optional<int> read_run_options(int argc, char** argv, RunOptions& options) {
  gray::cli::CommandLine app{
      "Measures this host once, so that the other tools know its disk, cache and memory.", "microbench"};
  bool is_quick = false;
  bool is_full = false;
  std::vector<std::string> names;
  app.add_flag("--quick", is_quick, "under five seconds, with wide intervals");
  app.add_flag("--full", is_full, "unhurried, with narrow intervals, and what takes long: write-back");
  app.add_option("--dir", options.directories, "a folder on the file system to measure; may be given again")
      .type_name("PATH")
      .completed_by("DIR")
      .one_value_each();
  app.add_option("--file", options.file, "read this file of yours instead of making a test file")
      .type_name("FILE");
  app.add_flag("--anew", options.is_anew, "measure what is known already, too");
  app.add_flag("--host", options.is_for_host, "keep the figures in /var/lib/gray, for all users");
  app.add_flag("--strict", options.is_strict, "refuse when the host is busy, instead of marking the figures");
  app.add_flag("--move-aside", options.may_replace, "begin a new record where the old one cannot be read");
  app.refuse_empty_values();
  app.add_option("WHAT", names, "only these benchmarks or keys, known or not").type_name("");
  app.group("How thorough", {"--quick", "--full", "--anew", "--strict"});
  app.group("What is measured", {"--dir", "--file"});
  app.group("Where it is kept", {"--host", "--move-aside"});
  app.footer(kFooter);
  if (const auto status = gray::cli::parse(app, argc, argv)) return status;
  if (is_quick && is_full) return gray::cli::fail_usage("--quick and --full exclude one another");
  if (!options.file.empty() && !options.directories.empty()) {
    return gray::cli::fail_usage("--file and --dir exclude one another: a file lies on one file system");
  }
  if (is_quick) options.effort = Effort::kQuick;
  if (is_full) options.effort = Effort::kFull;
  for (const std::string& name : names) {
    const Benchmark* benchmark = find_wanted(name);
    if (benchmark == nullptr) {
      return gray::cli::fail_usage("no benchmark and no key '{}'; microbench list shows them", name);
    }
    options.only.push_back(benchmark);
  }
  if (options.directories.empty()) options.directories.emplace_back(".");
  return std::nullopt;
}

}  // namespace microbench
