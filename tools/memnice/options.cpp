// SPDX-License-Identifier: MIT
#include "tools/memnice/options.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>

#include "toolbox/base/units.hpp"
#include "toolbox/cli/command_line.hpp"
#include "toolbox/cli/diagnostics.hpp"
#include "toolbox/cli/quantities.hpp"

namespace memnice {
namespace {

constexpr const char* kCache[] = {"share", "keep", "steal"};  // numbered as CachePolicy
constexpr const char* kMeans[] = {"auto", "group", "pause"};  // numbered as WantedMeans
constexpr double kBetaMin = 1;
constexpr double kBetaMax = 10;
constexpr std::uint64_t kLeastBytes = 16 * gray::base::kMiB;

constexpr char kFooter[] =
    "While there is room for all, CMD has what it likes. When memory gets short it gives up first what it "
    "has not used lately, and then what others lack. If others still wait for memory it "
    "stands still for a while. When there is room again it gets all of that back.\n"
    "Exit status: CMD's; 2 usage, 125 if nothing can be done here, 126 or 127 if CMD can't be started.\n"
    "\n"
    "Examples:\n"
    "  memnice -- make -j4\n"
    "  memnice --min 500M -v -- python3 train.py\n"
    "  systemd-run --user --scope memnice -- ./index-everything   an ordinary user gets a control group so\n";

struct Flags {
  std::string cache = kCache[0];
  std::string means = kMeans[0];
};

template <std::size_t n>
std::size_t place_of(const char* const (&names)[n], const std::string& name) {
  return static_cast<std::size_t>(
      std::distance(std::begin(names), std::find(std::begin(names), std::end(names), name)));
}

}  // namespace

std::optional<int> read_options(int argc, char** argv, Options& options) {
  gray::cli::CommandLine line{
      "Runs CMD in the background's place: with memory that nobody else wants, and given back when somebody "
      "does.",
      "memnice"};
  Flags flags;
  options.wishes.least_bytes = kLeastBytes;
  line.add_option(
          "--beta",
          [&options](const std::string& text) -> std::string {
            char* end = nullptr;
            options.wishes.beta = std::strtod(text.c_str(), &end);
            const bool is_fit = *end == 0 && !text.empty() && options.wishes.beta >= kBetaMin &&
                                options.wishes.beta <= kBetaMax;
            return is_fit ? "" : "'" + gray::cli::escape_controls(text) + "' is no number from 1 to 10";
          },
          "when memory is short, CMD keeps so many times what it works with (default 1.25)")
      .type_name("NUMBER");
  gray::cli::add_bytes_option(line, "--min", options.wishes.least_bytes,
                              "never hold it to less (default 16M)");
  gray::cli::add_bytes_option(line, "--margin", options.pools.margin_bytes,
                              "keep so much free below each limit (default a 32nd of it)");
  line.add_option("--cache", flags.cache, "what CMD may take of the page cache: share (default), keep, steal")
      .one_of(std::vector<std::string>(std::begin(kCache), std::end(kCache)))
      .type_name("POLICY");
  line.add_option("--means", flags.means,
                  "hold it by a group, or only by pauses (default auto: the best there is)")
      .one_of(std::vector<std::string>(std::begin(kMeans), std::end(kMeans)))
      .type_name("MEANS");
  line.add_flag("-v,--verbose", options.is_verbose, "say each change");
  line.add_flag("-q,--quiet", options.is_quiet, "say nothing at the end");
  line.add_option("--report", options.report, "write what happened to this file, as JSON").type_name("FILE");
  line.usage("Usage: memnice [OPTIONS] [--] CMD [ARG...]");
  line.group("How much", {"--beta", "--min", "--margin", "--cache"});
  line.group("How", {"--means"});
  line.group("What is said", {"--verbose", "--quiet", "--report"});
  line.prefix_command();
  line.refuse_empty_values();
  line.footer(kFooter);
  if (const auto status = gray::cli::parse(line, argc, argv)) return status;
  if (const auto status = gray::cli::take_command(line, argc, argv, options.command)) return status;
  if (options.command.empty()) return gray::cli::fail_usage("no command to run: write memnice -- CMD");
  options.pools.cache = static_cast<gray::memory::CachePolicy>(place_of(kCache, flags.cache));
  options.means = static_cast<WantedMeans>(place_of(kMeans, flags.means));
  return std::nullopt;
}

}  // namespace memnice
