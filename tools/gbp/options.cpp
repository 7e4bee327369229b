// SPDX-License-Identifier: MIT
#include "tools/gbp/options.hpp"

#include <algorithm>
#include <iterator>

#include "toolbox/cli/diagnostics.hpp"
#include "toolbox/cli/options.hpp"
#include "tools/gbp/inputs.hpp"

namespace gbp {
namespace {

constexpr const char* kBackends[] = {"auto", "cachestat", "mincore", "timed"};  // numbered as gb_backend_t

constexpr char kFooter[] =
    "-mem, -file and -compose may be written with one dash, as in the paper they come from.\n"
    "Files that can't be looked at are printed last and named on stderr; the exit status is then 1.\n"
    "A name that begins with a dash goes after --, or is written ./-name, here and for the program that gets "
    "the list.\n"
    "\n"
    "Examples:\n"
    "  grep foo $(gbp -mem *)\n"
    "  find . -type f -print0 | gbp -file -0 --files0-from - | xargs -0 sha256sum\n";

struct Flags {
  bool is_mem = false;
  bool is_file = false;
  bool is_compose = false;
  bool is_nul_ended = false;
  bool is_json = false;
  std::string backend = "auto";
  std::string list_path;
};

// CLI11 takes the name "[a,b]" for a list of two. A mark before the bracket keeps it whole; names that begin
// with the mark are marked too, so that taking one mark off gives back every name.
constexpr char kMark = '\x01';

void mark_name(std::string& argument) {
  if (!argument.empty() && (argument[0] == '[' || argument[0] == kMark)) argument.insert(0, 1, kMark);
}

void unmark_name(std::string& argument) {
  if (!argument.empty() && argument[0] == kMark) argument.erase(0, 1);
}

// The paper's spelling has one dash; CLI11 would read "-mem" as three short options.
std::vector<std::string> prepared_arguments(int argc, char** argv) {
  std::vector<std::string> arguments(argv, argv + argc);
  bool are_only_names = false;
  for (std::string& argument : arguments) {
    mark_name(argument);
    if (are_only_names) continue;
    are_only_names = argument == "--";
    if (argument == "-mem" || argument == "-file" || argument == "-compose") argument.insert(0, "-");
  }
  return arguments;
}

std::optional<int> apply(const Flags& flags, Options& options) {
  if (flags.is_mem + flags.is_file + flags.is_compose > 1) {
    return gray::cli::fail_usage("-mem, -file and -compose exclude one another: -compose is both");
  }
  if (flags.is_nul_ended && flags.is_json) return gray::cli::fail_usage("-0 and --json exclude one another");
  if (flags.is_mem) options.mode = Mode::mem;
  if (flags.is_file) options.mode = Mode::file;
  if (flags.is_nul_ended) options.format = Format::nul_ended;
  if (flags.is_json) options.format = Format::json_lines;
  const auto* backend = std::find(std::begin(kBackends), std::end(kBackends), flags.backend);
  options.backend = static_cast<gb_backend_t>(std::distance(std::begin(kBackends), backend));
  if (!flags.list_path.empty()) {
    const std::string problem = read_names(flags.list_path, options.paths);
    if (!problem.empty()) return gray::cli::fail_usage("{}", problem);
  } else if (options.paths.empty()) {
    return gray::cli::fail_usage("no files to order: write gbp -mem FILE...");
  }
  return std::nullopt;
}

}  // namespace

std::optional<int> read_options(int argc, char** argv, Options& options) {
  CLI::App app{
      "Prints FILEs in the order in which they are best read: what is in memory first, then as they lie on "
      "disk.",
      "gbp"};
  Flags flags;
  app.add_flag("--mem", flags.is_mem, "most cached first");
  app.add_flag("--file", flags.is_file, "in the order in which they lie on disk");
  app.add_flag("--compose", flags.is_compose,
               "the cached ones first, each group as it lies on disk (the default)");
  app.add_flag("-0,--null", flags.is_nul_ended, "end each name with NUL instead of a newline, for xargs -0");
  app.add_flag("--json", flags.is_json,
               "one JSON object a line: path, rank, size, cached_fraction, backend, device, inode, ...");
  app.add_option("--files0-from", flags.list_path,
                 "also take names, each ended by NUL, from FILE (- is standard input)")
      ->type_name("FILE");
  app.add_option("--backend", flags.backend, "how to find cached pages: auto, cachestat, mincore, timed")
      ->check(CLI::IsMember(std::vector<std::string>(std::begin(kBackends), std::end(kBackends))))
      ->type_name("NAME");
  app.add_flag("--explain", options.is_explained,
               "also say on stderr which measured host parameters decide, and where they come from");
  app.add_option("FILE", options.paths, "the files to order")->type_name("");
  app.footer(kFooter);
  const std::vector<std::string> arguments = prepared_arguments(argc, argv);
  std::vector<const char*> pointers;
  pointers.reserve(arguments.size());
  for (const std::string& argument : arguments) pointers.push_back(argument.c_str());
  if (const auto status = gray::cli::parse(app, argc, pointers.data())) return status;
  unmark_name(flags.list_path);
  for (std::string& path : options.paths) unmark_name(path);
  return apply(flags, options);
}

}  // namespace gbp
