// SPDX-License-Identifier: MIT
#include "tools/heapnice/options.hpp"

#include <algorithm>

#include "libgray/src/memory/allocator.hpp"
#include "toolbox/base/units.hpp"
#include "toolbox/cli/command_line.hpp"
#include "toolbox/cli/diagnostics.hpp"
#include "toolbox/cli/quantities.hpp"

namespace heapnice {
namespace {

// With a heap of 32 GiB or more a JVM's references are twice as long, so a heap slightly above 32 GiB holds less data than a
// heap slightly below.
constexpr std::uint64_t kJavaDefaultMaxBytes = 31 * gray::base::kGiB;

constexpr char kFooter[] =
    "A java that CMD is or starts shrinks and grows while it runs: with Serial and G1 by its free ratios and "
    "ordered collections, with ZGC and "
    "Shenandoah by SoftMaxHeapSize. A program in Go is told GOMEMLIMIT, and Node the size of its old space, "
    "when they start; both are fixed "
    "from then on.\n"
    "Exit status: CMD's; 2 usage, 125 if CMD has no such heap or nothing tells how much memory is free, 126 "
    "or 127 if CMD can't be started.\n"
    "\n"
    "Examples:\n"
    "  heapnice -- java -jar server.jar\n"
    "  heapnice --verbose --max 4G -- java -jar server.jar\n"
    "  heapnice --json heap.json -- java -jar server.jar\n";

std::optional<int> check(Options& options, const std::string& runtime) {
  if (options.command.empty()) return gray::cli::fail_usage("no command to run: write heapnice -- CMD");
  const auto capacity = gray::memory::capacity_bytes(options.pools);
  if (!capacity)
    return gray::cli::fail(
        gray::cli::kExitToolFailed,
        "how much memory is free is not known: /proc/meminfo, or the use of a control group, cannot be read");
  const bool is_max_given = options.max_bytes != 0;
  if (!is_max_given) options.max_bytes = std::max(capacity.value(), options.min_bytes);
  if (options.min_bytes > options.max_bytes)
    return gray::cli::fail_usage("--min {} is above --max {}", gray::cli::format_bytes(options.min_bytes),
                                 gray::cli::format_bytes(options.max_bytes));
  for (const Runtime one : {Runtime::java, Runtime::go, Runtime::node})
    if (runtime == name_of(one)) options.runtime = one;
  std::string problem;
  if (options.runtime == Runtime::none) options.runtime = find_runtime(options.command[0], problem);
  if (options.runtime == Runtime::java && !is_max_given)
    options.max_bytes = std::max(std::min(options.max_bytes, kJavaDefaultMaxBytes), options.min_bytes);
  if (options.runtime != Runtime::none) return std::nullopt;
  return gray::cli::fail(
      gray::cli::kExitToolFailed,
      "'{}' {}: it follows Java's, Go's and Node's; write --runtime java if it starts one of these",
      options.command[0], problem);
}

}  // namespace

std::optional<int> read_options(int argc, char** argv, Options& options) {
  gray::cli::CommandLine app{"Runs CMD and keeps its heap to the memory that is there while it runs.",
                             "heapnice"};
  std::string runtime;
  gray::cli::add_bytes_option(app, "--min", options.min_bytes, "never tell the heap to be smaller");
  gray::cli::add_bytes_option(app, "--max", options.max_bytes,
                              "nor larger (default: what the tightest limit allows now)");
  gray::cli::add_bytes_option(app, "--margin", options.pools.margin_bytes,
                              "keep so much free below each limit");
  app.add_option("--runtime", runtime, "whose heap it is, where CMD does not tell: java, go or node")
      .one_of({"java", "go", "node"})
      .type_name("NAME");
  app.add_flag("-v,--verbose", options.is_verbose, "say each change in a line");
  app.add_option("--json", options.json_file, "write what was done to this file in the end")
      .type_name("FILE");
  app.usage("Usage: heapnice [OPTIONS] [--] CMD [ARG...]");
  app.group("How much", {"--min", "--max", "--margin"});
  app.group("Whose", {"--runtime"});
  app.group("What is told", {"--verbose", "--json"});
  app.prefix_command();
  app.refuse_empty_values();
  app.footer(kFooter);
  if (const auto status = gray::cli::parse(app, argc, argv)) return status;
  if (const auto status = gray::cli::take_command(app, argc, argv, options.command)) return status;
  return check(options, runtime);
}

}  // namespace heapnice
