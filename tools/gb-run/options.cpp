// SPDX-License-Identifier: MIT
#include "tools/gb-run/options.hpp"

#include <algorithm>
#include <cstdlib>
#include <iterator>

#include "toolbox/cli/command_line.hpp"
#include "toolbox/cli/diagnostics.hpp"
#include "toolbox/cli/options.hpp"
#include "toolbox/cli/quantities.hpp"
#include "tools/gb-run/amounts.hpp"
#include "tools/gb-run/needs.hpp"

namespace gb_run {
namespace {

constexpr const char* kPolicies[] = {"share", "keep", "steal"};  // numbered as CachePolicy

constexpr char kFooter[] =
    "In CMD's words {} stands for what was granted, in KiB with a K behind it, as sort -S and java -Xmx want "
    "it; {b} for bytes, {m} for MiB, {n} for the number of multiples. It is the whole word, or what an "
    "option or NAME= ends with (-Xmx{}, -j{n}, SIZE={b}).\n"
    "The grant is not taken but claimed for as long as CMD runs: what else you run with libgray or gb-run "
    "leaves it "
    "alone.\n"
    "CMD's own start is left free, too; what it takes is learned from its runs.\n"
    "Exit status: CMD's; 1 if MIN isn't there, 2 usage, 125 if nothing tells what is there, 126 or 127 if "
    "CMD can't be "
    "started.\n"
    "\n"
    "Examples:\n"
    "  gb-run --min 1G --max 80% --env GOMEMLIMIT -- ./server\n"
    "  gb-run --min 100M --wait 10m -- sort -S {} big.txt\n"
    "  gb-run --multiple 2G --max 16G -- make -j{n}\n";

struct Flags {
  std::string min;
  std::string max = "100%";
  std::uint64_t multiple_bytes = 1;
  std::uint64_t margin_bytes = 0;
  std::uint64_t wait_ns = 0;
  std::string cache = "share";
};

bool is_variable_name(const std::string& name) {
  const auto is_fit = [](char c) {
    return c == '_' || (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z');
  };
  return !name.empty() && !(name[0] >= '0' && name[0] <= '9') &&
         std::all_of(name.begin(), name.end(), is_fit);
}

void read_needs(Options& options, std::uint64_t min_bytes, std::uint64_t capacity_bytes) {
  if (!options.command.empty()) {
    const std::string& name = options.command[0];
    options.program = name.substr(name.rfind('/') + 1);
    options.needs_file = needs_file();
    options.known_need = read_need(options.needs_file, options.program);
  }
  options.request.beside_bytes = need_of(options.known_need, min_bytes, capacity_bytes);
}

std::optional<int> apply(const Flags& flags, Options& options) {
  gray::memory::Request& request = options.request;
  const auto signals = gray::memory::parse_signals(std::getenv("GRAY_MAC"));
  if (!signals) return gray::cli::fail_usage("GRAY_MAC='{}' is not understood", std::getenv("GRAY_MAC"));
  request.signals = signals.value();
  const auto* policy = std::find(std::begin(kPolicies), std::end(kPolicies), flags.cache);
  request.cache = static_cast<gray::memory::CachePolicy>(std::distance(std::begin(kPolicies), policy));
  request.margin_bytes = flags.margin_bytes;
  request.multiple_bytes = flags.multiple_bytes;
  request.timeout_ns = flags.wait_ns;
  const auto capacity =
      gray::memory::capacity_bytes({request.cache, request.margin_bytes, request.has_files});
  if (!capacity)
    return gray::cli::fail(
        gray::cli::kExitToolFailed,
        "how much memory is free is not known: /proc/meminfo, or the use of a control group, cannot be read");
  const std::uint64_t whole_bytes = capacity.value();
  std::string problem = read_amount(flags.max, whole_bytes, request.max_bytes);
  if (!problem.empty()) return gray::cli::fail_usage("--max: {}", problem);
  request.min_bytes = std::max<std::uint64_t>(1, flags.multiple_bytes);
  if (!flags.min.empty()) problem = read_amount(flags.min, whole_bytes, request.min_bytes);
  if (!problem.empty()) return gray::cli::fail_usage("--min: {}", problem);
  // When a maximum in percent is below the minimum, there is too little memory. This is not an error of the command line.
  if (!flags.max.empty() && flags.max.back() == '%' &&
      request.max_bytes < request.min_bytes + request.multiple_bytes)
    request.max_bytes = std::max(request.max_bytes, request.min_bytes + request.multiple_bytes - 1);
  for (const std::string& name : options.variables)
    if (!is_variable_name(name)) return gray::cli::fail_usage("--env: '{}' is no name of a variable", name);
  gray::memory::Request rounded = request;
  if (gray::memory::round_request(rounded) != 0)
    return gray::cli::fail_usage("no multiple of {} B lies between {} B and {} B", request.multiple_bytes,
                                 request.min_bytes, request.max_bytes);
  if (options.is_print != options.command.empty())
    return options.is_print ? gray::cli::fail_usage("--print runs no command")
                            : gray::cli::fail_usage("no command to run: write gb-run --min SIZE -- CMD");
  read_needs(options, rounded.min_bytes, whole_bytes);
  return std::nullopt;
}

}  // namespace

std::optional<int> read_options(int argc, char** argv, Options& options) {
  gray::cli::CommandLine app{"Runs CMD with as much memory as is there now, between MIN and MAX.", "gb-run"};
  Flags flags;
  app.add_option("--min", flags.min, "the least, in bytes or % of the limit; without it, status 1")
      .type_name("SIZE");
  app.add_option("--max", flags.max, "the most, in bytes or % of the limit (default 100%)").type_name("SIZE");
  gray::cli::add_bytes_option(app, "--multiple", flags.multiple_bytes, "grant a multiple of this");
  gray::cli::add_bytes_option(app, "--margin", flags.margin_bytes, "keep so much free below each limit");
  gray::cli::add_duration_option(app, "--wait", flags.wait_ns, "wait so long for MIN");
  app.add_option("--cache", flags.cache, "what to take of the page cache: share (default), keep, steal")
      .one_of(std::vector<std::string>(std::begin(kPolicies), std::end(kPolicies)))
      .type_name("POLICY");
  app.add_flag(
      "--files", options.request.has_files,
      "CMD works on files meanwhile: keep a quarter of each limit, at most 1 GiB, for the page cache");
  app.add_option("--env", options.variables, "tell CMD the bytes in this variable, too; may be repeated")
      .one_value_each()
      .type_name("NAME")
      .completed_by("VARIABLE");
  app.add_option(
         "-I",
         [&options](const std::string& mark) {
           options.mark = mark;
           return std::string();
         },
         "fill in at MARK in place of {}, {b}, {m} and {n}, which then stay as they are; '' fills in nothing")
      .type_name("MARK");
  app.add_flag("--print", options.is_print, "print the number of bytes, and run nothing");
  app.usage("Usage: gb-run [OPTIONS] [--] CMD [ARG...]");
  app.group("How much", {"--min", "--max", "--multiple", "--margin", "--wait"});
  app.group("From what", {"--cache", "--files"});
  app.group("How CMD is told", {"--env", "-I", "--print"});
  app.prefix_command();
  app.footer(kFooter);
  if (const auto status = gray::cli::parse(app, argc, argv)) return status;
  if (const auto status = gray::cli::take_command(app, argc, argv, options.command)) return status;
  return apply(flags, options);
}

}  // namespace gb_run
