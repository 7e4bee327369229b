// SPDX-License-Identifier: MIT
#include "tools/discnice/cli/run_options.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <memory>
#include <sstream>
#include <system_error>
#include <utility>

#include <fmt/core.h>

#include "toolbox/cli/command_line.hpp"
#include "toolbox/cli/diagnostics.hpp"
#include "toolbox/cli/options.hpp"
#include "toolbox/cli/quantities.hpp"
#include "tools/discnice/cli/config_file.hpp"
#include "tools/discnice/cli/limit_options.hpp"
#include "tools/discnice/cli/schedule_option.hpp"
#include "tools/discnice/policy/registry.hpp"

namespace discnice::cli {
namespace {

// In the order of the numbers that the preload library reads (JobOptions::cache_backend).
constexpr const char* kBackends[] = {"auto", "cachestat", "mincore", "nowait", "timed", "none"};

constexpr const char* kEngines[] = {"auto", "preload", "notify", "pace", "cgroup"};

constexpr char kFooter[] =
    "Rates: 5M or 5MiB is 5 x 1024 x 1024 bytes a second, 5MB is 5 x 1000 x 1000, 40Mbit is 5MB;\n"
    "each may end in /s. What is printed counts in 1024: KiB, MiB, MiB/s. The rate counts what the disk\n"
    "moves, read plus written, for CMD and all its children together. Data that is already in memory is\n"
    "free.\n"
    "\n"
    "Other commands:\n"
    "  discnice status [--json]       the jobs that are running now\n"
    "  discnice set JOB [LIMITS]      changes, pauses or resumes a job\n"
    "  discnice adopt PID [LIMITS]    holds processes that run already; release JOB lets them go\n"
    "  discnice top, report JOB       what the jobs do right now; what one has done so far\n"
    "  discnice policies              the policies and what each does\n"
    "  discnice explain -- CMD        how CMD would be covered; runs nothing\n"
    "  discnice doctor [PATH...]      what works here, what does not, and what would make it work\n"
    "  discnice verify [OPTIONS] CMD  compares what is predicted of CMD with what the kernel counts\n"
    "  discnice replay FILE           runs the models over what --record FILE has recorded\n"
    "  discnice run ...               the same as without 'run' (for a CMD called 'status' or 'verify')\n"
    "\n"
    "Without the launcher: LD_PRELOAD=.../libdiscnice.so DISCNICE_RATE=5M CMD ...\n"
    "\n"
    "Examples:\n"
    "  discnice --rate 5M -- rsync -a src/ /backup/\n"
    "  discnice --rate 40Mbit --report backup.json --json -- tar cf backup.tar src\n"
    "  discnice --net nice -- restic backup ~      (the disk and the network give way)\n"
    "  discnice -- du -sh ~            (nice: full speed while nobody else uses the disk)\n"
    "  discnice --policy unlimited -- make    (only report what it read and wrote)\n";

constexpr char kVerifyFooter[] =
    "For each class of calls: what they moved, what was predicted, what the kernel booked for them. 'other' "
    "is what no call\n"
    "was predicted for: page faults, folders, stdio. Without the ledger this is the model alone.\n"
    "\n"
    "Examples:\n"
    "  discnice verify -- grep -r needle src\n"
    "  discnice verify --disable readahead --json -- cat big\n";

// The texts of options that are converted to numbers later.
struct OptionTexts {
  LimitTexts limits;
  std::vector<std::string> excluded;
  std::string ledger;
  std::string backend;  // empty: not given
  std::string engine;
  std::string disabled;
};

// Compares the files themselves and not only their names. Several outputs may go to one device or pipe.
bool is_same_file(const std::string& one, const std::string& other) {
  if (one.empty() || other.empty()) return false;
  std::error_code error;
  const auto status = std::filesystem::status(one, error);
  const bool is_there = std::filesystem::exists(status);
  if (is_there && !std::filesystem::is_regular_file(status)) return false;
  if (is_there) return std::filesystem::equivalent(one, other, error);
  return std::filesystem::absolute(one).lexically_normal() ==
         std::filesystem::absolute(other).lexically_normal();
}

// Copies the names of programs to be left alone to the place where the preload library reads them.
std::optional<int> set_excluded(const std::vector<std::string>& names, protocol::JobOptions& job) {
  if (names.size() > protocol::kExcludedMax)
    return gray::cli::fail_usage("--exclude: {} programs are the most", protocol::kExcludedMax);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const bool is_name = !names[i].empty() && names[i].size() < protocol::kExcludedBytesMax &&
                         names[i].find('/') == std::string::npos;
    if (!is_name)
      return gray::cli::fail_usage(
          "--exclude: '{}' is not the name of a program (without a folder, up to {} characters)", names[i],
          protocol::kExcludedBytesMax - 1);
    std::memcpy(job.excluded[i], names[i].c_str(), names[i].size());
  }
  return std::nullopt;
}

std::uint32_t model_bit(const std::string& name) {
  if (name == "cache") return protocol::kWithoutCache;
  if (name == "readahead") return protocol::kWithoutReadahead;
  if (name == "write") return protocol::kWithoutWrites;
  return 0;
}

void add_shared_options(gray::cli::Command& app, RunOptions& options, OptionTexts& texts) {
  app.add_option("--report", options.report_path, "write the report to FILE instead of stderr")
      .type_name("FILE");
  app.add_option("--record", options.record_path,
                 "write every file operation and its outcome to FILE, for discnice replay")
      .type_name("FILE");
  app.add_flag("--json", options.is_json, "write the report as one JSON object");
  app.add_option("--ledger", texts.ledger, "settle predictions by the kernel's own account: on or off")
      .one_of({"on", "off"})
      .type_name("on|off");
  app.add_option("--backend", texts.backend,
                 "how to find cached pages: auto, cachestat, mincore, nowait, timed, none")
      .one_of(std::vector<std::string>(std::begin(kBackends), std::end(kBackends)))
      .type_name("NAME");
  app.add_option("--disable", texts.disabled, "do without these models: cache, readahead, write")
      .type_name("MODEL,...")
      .completed_by("MODEL", {"cache", "readahead", "write"});
  app.refuse_empty_values();
}

std::optional<int> check_disabled(const std::string& names, RunOptions& options) {
  std::istringstream models(names);
  for (std::string model; std::getline(models, model, ',');) {
    const std::uint32_t bit = model_bit(model);
    if (bit == 0)
      return gray::cli::fail_usage("there is no model '{}': choose of cache, readahead, write", model);
    options.job.disabled_models |= bit;
  }
  return std::nullopt;
}

// Checks that each output has a file of its own.
std::optional<int> check_outputs(const RunOptions& options) {
  const std::pair<const char*, const std::string*> outputs[] = {{"--report", &options.report_path},
                                                                {"--record", &options.record_path},
                                                                {"--profile", &options.profile_path}};
  for (const auto& one : outputs) {
    for (const auto& other : outputs) {
      if (one.first == other.first) break;
      if (is_same_file(*one.second, *other.second))
        return gray::cli::fail_usage("{} and {} would write the same file '{}'", other.first, one.first,
                                     *one.second);
    }
  }
  if (options.is_quiet && (options.is_json || !options.report_path.empty()))
    return gray::cli::fail_usage("--quiet writes no report: leave out {}",
                                 options.is_json ? "--json" : "--report");
  return std::nullopt;
}

// A variable for use without the launcher. The launcher itself does not read it.
struct BareVariable {
  const char* name;
  const char* instead;
  bool is_said;  // an option on the command line says it, which comes first
};

// Whether the value was set for a job without the launcher. The processes of such a job have these variables, too.
bool is_of_bare_job(const char* value) {
  return std::strstr(value, ",segment=") != nullptr;
}

std::optional<int> refuse_bare_variables(const OptionTexts& texts) {
  const bool is_limit_said = is_limit_given(texts.limits) || !texts.limits.schedule.empty();
  const BareVariable variables[] = {{"DISCNICE_RATE", "--rate", is_limit_said},
                                    {"DISCNICE_POLICY", "--policy", is_limit_said},
                                    {"DISCNICE_LEDGER", "--ledger", !texts.ledger.empty()},
                                    {"DISCNICE_BACKEND", "--backend", !texts.backend.empty()},
                                    {"DISCNICE_CACHE", "--cache", !texts.limits.cache.empty()}};
  for (const BareVariable& variable : variables) {
    const char* value = std::getenv(variable.name);
    if (value != nullptr && is_of_bare_job(value)) return std::nullopt;
  }
  for (const BareVariable& variable : variables) {
    const char* value = std::getenv(variable.name);
    if (value == nullptr || *value == '\0' || variable.is_said) continue;
    return gray::cli::fail_usage("{} is for use without the launcher and has no effect here: write {} {}",
                                 variable.name, variable.instead, value);
  }
  return std::nullopt;
}

// Reads a person's own defaults. Prints the errors in them, or names in `taken` the lines that were used.
std::optional<int> read_defaults(RunOptions& options, LimitTexts& limits, std::string& taken) {
  const Config config = load_config(config_path());
  if (config.read_error != 0)
    return gray::cli::fail(gray::cli::kExitToolFailed, "cannot read your defaults in '{}': {}", config.path,
                           gray::cli::error_text(config.read_error));
  if (!config.problems.empty()) {
    const std::size_t more = config.problems.size() - 1;
    return gray::cli::fail(gray::cli::kExitUsage, "{}{}", config.problems.front(),
                           more == 0 ? "" : fmt::format(" (and {} more of its lines are wrong)", more));
  }
  taken = apply_config(config, std::filesystem::path(options.command.front()).filename().string(), limits);
  return std::nullopt;
}

// Parses the command line and handles the options that all commands have. Returns nothing on success.
std::optional<int> parse_shared(gray::cli::CommandLine& app, int argc, char** argv, RunOptions& options,
                                const OptionTexts& texts) {
  app.prefix_command();
  if (const auto status = gray::cli::parse(app, argc, argv)) return status;
  if (const auto status = gray::cli::take_command(app, argc, argv, options.command)) return status;
  if (options.command.empty())
    return gray::cli::fail_usage("no command to run: write discnice --rate 5M -- CMD ARG...");
  if (!options.record_path.empty()) options.job.recorded |= protocol::kRecordOperations;
  if (!texts.ledger.empty()) options.job.is_ledger_on = texts.ledger == "on" ? 1 : 0;
  for (std::uint32_t i = 0; i < std::size(kBackends); ++i) {
    if (texts.backend == kBackends[i]) options.job.cache_backend = i;
  }
  if (const auto status = check_disabled(texts.disabled, options)) return status;
  if (!texts.backend.empty() && (options.job.disabled_models & protocol::kWithoutCache) != 0)
    return gray::cli::fail_usage(
        "--backend has no effect with --disable cache, which asks for no page: leave out one of them");
  return check_outputs(options);
}

}  // namespace

std::optional<int> read_run_options(int argc, char** argv, RunOptions& options) {
  gray::cli::CommandLine app{"Runs CMD with its disk traffic held to a rate, without root.", "discnice"};
  app.usage("Usage: discnice [run] [OPTIONS] [--] CMD [ARG...]");
  app.footer(kFooter);
  OptionTexts texts;
  add_limit_options(app, texts.limits);
  app.add_option("--schedule", texts.limits.schedule,
                 "limits by the time of the week, e.g. \"Mon-Fri 09:00-18:00 2M, else nice\"")
      .type_name("TEXT");
  app.add_option("--exclude", texts.excluded, "leave programs of this name alone; may be given several times")
      .type_name("NAME")
      .completed_by("PROGRAM");
  app.add_option("--engine", texts.engine,
                 "how CMD is held: auto, preload (the library alone), pace (from outside alone), notify "
                 "(pace, and large calls in steps), cgroup (by the kernel, as root)")
      .one_of(std::vector<std::string>(std::begin(kEngines), std::end(kEngines)))
      .type_name("NAME");
  app.add_flag("--require", options.is_coverage_required,
               "end the job when a program of it can't be covered");
  app.add_flag("-q,--quiet", options.is_quiet, "no report");
  app.add_option("--profile", options.profile_path,
                 "write the call stacks of what reaches the disk to FILE, as folded stacks")
      .type_name("FILE");
  add_shared_options(app, options, texts);
  app.group("How fast", {"--schedule"});
  app.group("Who is held, and how", {"--engine", "--exclude", "--require"});
  app.group("The report", {"--report", "--json", "--quiet", "--record", "--profile"});
  app.group("How disk traffic is predicted", {"--ledger", "--backend", "--disable"});
  if (const auto status = parse_shared(app, argc, argv, options, texts)) return status;
  if (!options.profile_path.empty()) options.job.recorded |= protocol::kRecordStacks;
  const auto* engine = std::find(std::begin(kEngines), std::end(kEngines), texts.engine);
  if (engine != std::end(kEngines)) options.engine = static_cast<Engine>(engine - std::begin(kEngines));
  if (is_from_outside(options.engine) && options.job.recorded != 0)
    return gray::cli::fail_usage("--engine {} tells of no calls: leave out {}", texts.engine,
                                 options.record_path.empty() ? "--profile" : "--record");
  if (is_from_outside(options.engine) && !(texts.limits.cache.empty() && texts.backend.empty()))
    return gray::cli::fail_usage("--engine {} sees no pages: leave out {}", texts.engine,
                                 texts.limits.cache.empty() ? "--backend" : "--cache");
  if (options.engine == Engine::cgroup && !texts.excluded.empty())
    return gray::cli::fail_usage("--engine cgroup holds every program of the job: leave out --exclude");
  if (const auto status = set_excluded(texts.excluded, options.job)) return status;
  if (const auto status = refuse_bare_variables(texts)) return status;
  const LimitTexts given = texts.limits;
  std::string taken;
  if (const auto status = read_defaults(options, texts.limits, taken)) return status;
  std::string problem = apply_limits(texts.limits, options.grant);
  options.schedule = schedule_of(texts.limits);
  if (!problem.empty() && !taken.empty()) problem += " (with " + taken + ")";
  if (problem.empty()) problem = judge_schedule(options.grant, options.schedule, given);
  if (problem.empty() && options.engine == Engine::cgroup) {
    problem = judge_for_group(given, possible_grants(options.grant, options.schedule));
    options.grant.flags |= kHeldByGroup;
  }
  if (!problem.empty()) return gray::cli::fail_usage("{}", problem);
  return std::nullopt;
}

std::optional<int> read_verify_options(int argc, char** argv, RunOptions& options) {
  gray::cli::CommandLine app{
      "Runs CMD without a limit and compares what is predicted with what the kernel counts.", "discnice"};
  app.usage("Usage: discnice verify [OPTIONS] [--] CMD [ARG...]");
  app.footer(kVerifyFooter);
  OptionTexts texts;
  options.job.is_ledger_on = 0;
  add_shared_options(app, options, texts);
  if (const auto status = parse_shared(app, argc, argv, options, texts)) return status;
  options.job.is_verifying = 1;
  options.engine = Engine::preload;
  options.grant.policy_id = policy::kUnlimitedId;
  return std::nullopt;
}

}  // namespace discnice::cli
