// SPDX-License-Identifier: MIT
#include "tools/gbp/options.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "toolbox/cli/command_line.hpp"
#include "toolbox/cli/completion.hpp"
#include "toolbox/cli/diagnostics.hpp"
#include "toolbox/cli/options.hpp"
#include "toolbox/cli/quantities.hpp"
#include "tools/gbp/arguments.hpp"
#include "tools/gbp/inputs.hpp"

namespace gbp {
namespace {

using gray::cli::fail_usage;

constexpr const char* kBackends[] = {"auto",   "cachestat", "mincore", "end",
                                     "nowait", "fault",     "timed"};  // numbered as gb_backend_t
constexpr const char* kOrders[] = {"auto", "extent", "inode", "mtime",
                                   "none", "dir"};  // numbered as gb_order_t; dir is an addition of gbp
constexpr std::ptrdiff_t kOrderDir = 5;

constexpr const char* kActionNames[] = {"",       "--out",    "--exec",    "--ranges", "--unsort",
                                        "--plan", "--verify", "--refresh", "--html"};  // numbered as Action
constexpr const char* kWithValue[] = {"--files-from", "--files0-from", "--backend", "--order",
                                      "--out",        "--align",       "--include", "--exclude",
                                      "--refresh",    "--order-from",  "--html"};

constexpr char kFooter[] =
    "Also:  gbp -mem -out FILE [--lines | --bytes | -align BYTES]\n"
    "       gbp -refresh DIR [--apply | --resume | --rollback]\n"
    "\n"
    "-mem, -file, -compose, -out and the other words may be written with one dash, as in the paper they come "
    "from.\n"
    "Files that can't be looked at are printed last and named on stderr; the exit status is then 1.\n"
    "A name that begins with a dash goes after --, or is written ./-name, here and for the program that gets "
    "the list.\n"
    "\n"
    "Examples:\n"
    "  grep foo $(gbp -mem *)\n"
    "  gbp -r -compose --exec grep -H foo {} + -- src/ | gbp --unsort -r src/\n"
    "  gbp -mem -out big.log -align 100 | app -\n"
    "  find . -type f -print0 | gbp -file -0 --files0-from - | xargs -0 sha256sum\n"
    "  gbp -r --html map.html src/\n"
    "  gbp -refresh mail/cur && gbp -refresh mail/cur --apply\n";

struct Flags {
  bool is_mem = false;
  bool is_file = false;
  bool is_compose = false;
  bool is_nul_ended = false;
  bool is_json = false;
  bool are_ranges = false;
  bool is_unsort = false;
  bool is_plan = false;
  bool is_verify = false;
  bool is_apply = false;
  bool is_resume = false;
  bool is_rollback = false;
  bool is_lines = false;
  bool is_bytes = false;
  std::string backend;
  std::string order;
  std::string lines_path;
  std::string nul_path;
};

bool takes_value(const std::string& option) {
  return std::any_of(std::begin(kWithValue), std::end(kWithValue),
                     [&option](const char* word) { return option == word; });
}

template <typename Words>
std::ptrdiff_t index_of(const Words& words, const std::string& word) {
  return std::distance(std::begin(words), std::find(std::begin(words), std::end(words), word));
}

std::optional<int> apply_action(const Flags& flags, const Arguments& arguments, Options& options) {
  const int actions = flags.are_ranges + flags.is_unsort + flags.is_plan + flags.is_verify +
                      arguments.has_exec + !options.streamed.empty() + !options.refresh.directory.empty() +
                      !options.page_path.empty();
  if (actions > 1)
    return fail_usage(
        "--out, --exec, --ranges, --unsort, --plan, --html, --verify and --refresh exclude one another");
  if (arguments.has_exec && !arguments.is_exec_ended)
    return fail_usage("--exec wants its end: --exec CMD ARGUMENT... {{}} +");
  if (arguments.has_exec && arguments.command.empty())
    return fail_usage("--exec wants a command before {{}} +");
  if (options.has_waves && !arguments.has_exec)
    return fail_usage("--waves divides what --exec runs, and there is none");
  const int ways = flags.is_apply + flags.is_resume + flags.is_rollback;
  if (ways > 1) return fail_usage("--apply, --resume and --rollback exclude one another");
  if ((ways > 0 || options.refresh.is_forced || !options.refresh.order_path.empty()) &&
      options.refresh.directory.empty())
    return fail_usage("--apply, --resume, --rollback, --force and --order-from go with --refresh");
  if (flags.is_apply) options.refresh.way = RefreshWay::apply;
  if (flags.is_resume) options.refresh.way = RefreshWay::resume;
  if (flags.is_rollback) options.refresh.way = RefreshWay::rollback;
  if (flags.are_ranges) options.action = Action::ranges;
  if (flags.is_unsort) options.action = Action::unsort;
  if (flags.is_plan) options.action = Action::plan;
  if (flags.is_verify) options.action = Action::verify;
  if (arguments.has_exec) options.action = Action::execute;
  if (!options.streamed.empty()) options.action = Action::stream;
  if (!options.refresh.directory.empty()) options.action = Action::refresh;
  if (!options.page_path.empty()) options.action = Action::map;
  return std::nullopt;
}

std::optional<int> apply_whole(const Flags& flags, Options& options) {
  const bool has_records = options.record_bytes != 0;
  if (flags.is_lines + flags.is_bytes + has_records > 1)
    return fail_usage("--lines, --bytes and --align exclude one another");
  if ((flags.is_lines || flags.is_bytes || has_records) && options.streamed.empty())
    return fail_usage("--lines, --bytes and --align go with --out");
  if (flags.is_lines) options.whole = Whole::lines;
  if (flags.is_bytes) options.whole = Whole::bytes;
  if (has_records) options.whole = Whole::records;
  return std::nullopt;
}

// Refuses an option that would have no effect, and names it.
std::optional<int> refuse_without_effect(const Flags& flags, const Options& options) {
  const auto with = [](std::initializer_list<Action> actions) {
    unsigned set = 0;
    for (const Action action : actions) set |= 1U << static_cast<unsigned>(action);
    return set;
  };
  const unsigned ordering = with({Action::print, Action::execute, Action::map});
  const unsigned printing = with({Action::print, Action::ranges});
  const unsigned looking =
      with({Action::print, Action::execute, Action::ranges, Action::stream, Action::plan, Action::map});
  const unsigned naming = with({Action::print, Action::execute, Action::ranges, Action::unsort, Action::plan,
                                Action::verify, Action::map});
  const bool is_sifted = options.walk.is_one_file_system || !options.walk.include_globs.empty() ||
                         !options.walk.exclude_globs.empty();
  if (is_sifted && !options.is_recursive)
    return fail_usage("--one-file-system, --include and --exclude go with -r");
  struct Given {
    bool is_given;
    const char* name;
    unsigned actions;  // the actions with which the option has an effect
  };
  const Given given[] = {{flags.is_mem, "-mem", ordering | with({Action::stream, Action::ranges})},
                         {flags.is_file, "-file", ordering},
                         {flags.is_compose, "-compose", ordering},
                         {!flags.order.empty(), "--order", ordering | with({Action::plan})},
                         {!flags.backend.empty(), "--backend", looking},
                         {flags.is_nul_ended, "-0", printing},
                         {flags.is_json, "--json", printing},
                         {options.is_recursive, "-r", naming},
                         {!flags.lines_path.empty(), "--files-from", naming},
                         {!flags.nul_path.empty(), "--files0-from", naming},
                         {options.is_explained, "--explain", looking | with({Action::verify})}};
  for (const Given& option : given)
    if (option.is_given && (option.actions & with({options.action})) == 0)
      return fail_usage("{} has no effect with {}", option.name,
                        kActionNames[static_cast<std::size_t>(options.action)]);
  return std::nullopt;
}

std::optional<int> read_lists(const Flags& flags, Options& options) {
  for (const auto& [path, separator] : {std::pair(flags.lines_path, '\n'), std::pair(flags.nul_path, '\0')}) {
    if (path.empty()) continue;
    const std::string problem = read_names(path, separator, options.names);
    if (!problem.empty()) return fail_usage("{}", problem);
  }
  const bool is_list_given = !flags.lines_path.empty() || !flags.nul_path.empty();
  const bool is_alone = options.action == Action::stream || options.action == Action::refresh;
  if (is_alone && !options.names.empty())
    return fail_usage("--out and --refresh take the one name behind them");
  if (!is_alone && options.names.empty() && !is_list_given)
    return fail_usage("no files to order: write gbp -mem FILE...");
  if (options.action == Action::unsort && (flags.lines_path == "-" || flags.nul_path == "-"))
    return fail_usage("--unsort reads the lines from standard input: give the names another way");
  return std::nullopt;
}

std::optional<int> apply(const Flags& flags, Arguments& arguments, Options& options) {
  if (flags.is_mem + flags.is_file + flags.is_compose > 1) {
    return fail_usage("-mem, -file and -compose exclude one another: -compose is both");
  }
  if (flags.is_nul_ended && flags.is_json) return fail_usage("-0 and --json exclude one another");
  if (flags.is_mem) options.mode = Mode::mem;
  if (flags.is_file) options.mode = Mode::file;
  if (flags.is_nul_ended) options.format = Format::nul_ended;
  if (flags.is_json) options.format = Format::json_lines;
  if (flags.is_mem && (flags.order == "extent" || flags.order == "inode" || flags.order == "mtime"))
    return fail_usage("--order {} has no effect with -mem, which does not look at the disk", flags.order);
  if (!flags.backend.empty()) options.backend = static_cast<gb_backend_t>(index_of(kBackends, flags.backend));
  options.is_by_directory = index_of(kOrders, flags.order) == kOrderDir;
  if (!flags.order.empty())
    options.order =
        options.is_by_directory ? GB_ORDER_NONE : static_cast<gb_order_t>(index_of(kOrders, flags.order));
  if (const auto status = apply_action(flags, arguments, options)) return status;
  if (const auto status = apply_whole(flags, options)) return status;
  if (const auto status = refuse_without_effect(flags, options)) return status;
  options.command = std::move(arguments.command);
  options.names = std::move(arguments.names);
  return read_lists(flags, options);
}

void define_ways(gray::cli::Command& app, Flags& flags, Options& options) {
  app.add_flag("--mem", flags.is_mem, "most cached first");
  app.add_flag("--file", flags.is_file, "in the order in which they lie on disk");
  app.add_flag("--compose", flags.is_compose,
               "the cached ones first, each group as it lies on disk (the default)");
  app.add_option("--order", flags.order,
                 "what stands for the place on disk: extent, inode, mtime, dir, none; auto: what pays there")
      .one_of(std::vector<std::string>(std::begin(kOrders), std::end(kOrders)))
      .type_name("NAME");
  app.add_option("--backend", flags.backend,
                 "how to find cached pages: auto, cachestat, mincore, end, nowait, fault, timed")
      .one_of(std::vector<std::string>(std::begin(kBackends), std::end(kBackends)))
      .type_name("NAME");
  app.add_option("--files-from", flags.lines_path,
                 "also take names, one a line, from FILE (- is standard input)")
      .type_name("FILE");
  app.add_option("--files0-from", flags.nul_path,
                 "also take names, each ended by NUL, from FILE (- is standard input)")
      .type_name("FILE");
  app.add_flag("-r,--recursive", options.is_recursive,
               "take the files below each folder instead of the folder");
  app.add_flag("--one-file-system", options.walk.is_one_file_system,
               "with -r: don't go into other file systems");
  app.add_option("--include", options.walk.include_globs, "with -r: only files whose last part matches GLOB")
      .type_name("GLOB")
      .one_value_each_without_dots();
  app.add_option("--exclude", options.walk.exclude_globs,
                 "with -r: no files or folders whose last part, or path, matches GLOB")
      .type_name("GLOB")
      .one_value_each_without_dots();
}

void define_actions(gray::cli::Command& app, Flags& flags, Options& options) {
  app.add_flag("-0,--null", flags.is_nul_ended, "end each name with NUL instead of a newline, for xargs -0");
  app.add_flag(
      "--json", flags.is_json,
      "one JSON object a line: path, rank, size, cached_fraction, confidence, backend, device, inode, ...");
  app.add_option("--out", options.streamed, "write FILE itself to stdout, its cached parts first")
      .type_name("FILE");
  gray::cli::add_bytes_option(app, "--align", options.record_bytes,
                              "with --out: records of so many bytes come whole, a short last one last");
  app.add_flag("--lines", flags.is_lines,
               "with --out: lines come whole, one without newline last; by itself where FILE is text");
  app.add_flag("--bytes", flags.is_bytes,
               "with --out: lines may come in two pieces, also where FILE is text");
  app.add_flag("--exec",
               "run a command over the files in their order, in batches: --exec CMD ARGUMENT... {} +")
      .completed_by("CMD");
  app.add_flag("--waves", options.has_waves, "with --exec: no batch holds cached files and others");
  app.add_flag("--ranges", flags.are_ranges, "print parts of files: offset, length, cached share, name");
  app.add_flag(
      "--unsort", flags.is_unsort,
      "put the lines on stdin, each about one of the FILEs, into the order in which these are given");
  app.add_flag("--plan", flags.is_plan,
               "print what an order would gain and how long a pass takes; reads some MiB of each device");
  app.add_option("--html", options.page_path,
                 "write a page that shows what is cached of each file, in that order, to FILE (- is stdout)")
      .type_name("FILE");
  app.add_flag("--verify", flags.is_verify, "print how often probing agrees with the kernel's count");
  app.add_option("--refresh", options.refresh.directory,
                 "show whether DIR lies in disorder and what putting it in order would take; changes nothing "
                 "without:")
      .type_name("DIR");
  app.add_flag("--apply", flags.is_apply, "with --refresh: do it");
  app.add_flag("--resume", flags.is_resume, "with --refresh: finish what was interrupted");
  app.add_flag("--rollback", flags.is_rollback, "with --refresh: undo what was interrupted");
  app.add_option("--order-from", options.refresh.order_path,
                 "with --refresh: lay the files out as FILE lists their names, one a line, before the others")
      .type_name("FILE");
  app.add_flag("--force", options.refresh.is_forced, "with --refresh --apply: also where seeks cost little");
  app.add_flag(
      "--explain", options.is_explained,
      "also say on stderr which measured host parameters decide, where they come from, and which levels the "
      "store has");
}

}  // namespace

std::optional<int> read_options(int argc, char** argv, Options& options) {
  gray::cli::CommandLine app{
      "Prints FILEs in the order in which they are best read: what is in memory first, then as they lie on "
      "disk.",
      "gbp"};
  Flags flags;
  define_ways(app, flags, options);
  define_actions(app, flags, options);
  app.refuse_empty_values();
  app.usage("Usage: gbp [OPTIONS] FILE...");
  app.group("In which order", {"--mem", "--file", "--compose", "--order", "--backend"});
  app.group("Which files",
            {"--files-from", "--files0-from", "--recursive", "--one-file-system", "--include", "--exclude"});
  app.group("What is done with the order", {"--null", "--json", "--exec", "--waves", "--ranges", "--unsort",
                                            "--plan", "--html", "--verify", "--explain"});
  app.group("One file, to standard output", {"--out", "--align", "--lines", "--bytes"});
  app.group("One directory, put in order on its disk",
            {"--refresh", "--apply", "--resume", "--rollback", "--order-from", "--force"});
  app.footer(kFooter);
  app.takes_more("FILE");
  for (const std::string& option : one_dash_options()) app.also_written("-" + option, option);
  if (gray::cli::is_completion_asked(argc, argv)) return gray::cli::parse(app, argc, argv);
  Arguments arguments = split_arguments(argc, argv, takes_value);
  std::vector<const char*> pointers;
  pointers.reserve(arguments.options.size());
  for (const std::string& argument : arguments.options) pointers.push_back(argument.c_str());
  if (const auto status = gray::cli::parse(app, static_cast<int>(pointers.size()), pointers.data()))
    return status;
  return apply(flags, arguments, options);
}

}  // namespace gbp
