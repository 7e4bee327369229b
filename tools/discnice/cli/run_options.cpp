// SPDX-License-Identifier: MIT
#include "tools/discnice/cli/run_options.hpp"

#include <CLI/CLI.hpp>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <memory>
#include <sstream>

#include "toolbox/cli/diagnostics.hpp"
#include "toolbox/cli/options.hpp"
#include "toolbox/cli/quantities.hpp"
#include "tools/discnice/cli/config_file.hpp"
#include "tools/discnice/cli/limit_options.hpp"
#include "tools/discnice/policy/registry.hpp"

namespace discnice::cli {
namespace {

// In the order of the numbers that the preload library reads (JobOptions::cache_backend).
constexpr const char* kBackends[] = {"auto", "cachestat", "mincore", "nowait", "timed", "none"};

constexpr char kFooter[] =
    "Rates: 5M or 5MiB is 5 x 1024 x 1024 bytes a second, 5MB is 5 x 1000 x 1000, 40Mbit is 5MB;\n"
    "each may end in /s. The rate counts what the disk moves, read plus written, for CMD and all its\n"
    "children together. Data that is already in memory is free.\n"
    "\n"
    "Other commands:\n"
    "  discnice status [--json]       the jobs that are running now\n"
    "  discnice set JOB [LIMITS]      changes, pauses or resumes a job\n"
    "  discnice top, report JOB       what the jobs do right now; what one has done so far\n"
    "  discnice policies              the policies and what each does\n"
    "  discnice explain -- CMD        how CMD would be covered; runs nothing\n"
    "  discnice verify [OPTIONS] CMD  compares what is predicted of CMD with what the kernel counts\n"
    "  discnice replay FILE           runs the models over what --record FILE has recorded\n"
    "  discnice run ...               the same as without 'run' (for a CMD called 'status' or 'verify')\n"
    "\n"
    "Without the launcher: LD_PRELOAD=.../libdiscnice.so DISCNICE_RATE=5M CMD ...\n"
    "\n"
    "Examples:\n"
    "  discnice --rate 5M -- rsync -a src/ /backup/\n"
    "  discnice --rate 40Mbit --report backup.json --json -- tar cf backup.tar src\n"
    "  discnice -- updatedb            (nice: full speed while nobody else uses the disk)\n"
    "  discnice --policy unlimited -- make    (only report what it read and wrote)\n";

constexpr char kVerifyFooter[] =
    "For each class of calls: what they moved, what was predicted, what the kernel booked for them. 'other' "
    "is what no call\n"
    "was predicted for: page faults, folders, stdio. Without the ledger this is the model alone.\n"
    "\n"
    "Examples:\n"
    "  discnice verify -- grep -r needle src\n"
    "  discnice verify --disable readahead --json -- cat big\n";

// CLI11 does not know that a command follows the options.
class UsageWithCommand : public CLI::Formatter {
 public:
  explicit UsageWithCommand(const char* subcommand) : subcommand_(subcommand) {}
  std::string make_usage(const CLI::App* /*app*/, std::string /*name*/) const override {
    return std::string("Usage: discnice ") + subcommand_ + " [OPTIONS] [--] CMD [ARG...]\n";
  }

 private:
  const char* subcommand_;
};

// The texts of options that are no numbers yet.
struct OptionTexts {
  LimitTexts limits;
  std::string schedule;
  std::vector<std::string> excluded;
  std::string ledger;
  std::string backend = "auto";
  std::string disabled;
};

// CLI11 leaves everything from the first word it does not know; an option there that no "--" came before is a
// mistake.
bool is_misspelt_option(const std::vector<std::string>& rest, int argc, char** argv) {
  if (rest.empty() || rest.front().size() < 2 || rest.front().front() != '-') return false;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--") == 0) return false;
    if (rest.front() == argv[i]) return true;
  }
  return true;
}

// Keeps the names of programs to be left alone where the preload library reads them.
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

std::optional<int> read_schedule(const std::string& text, policy::Schedule& schedule) {
  if (text.empty()) return std::nullopt;
  schedule = policy::parse_schedule(text.data(), text.size());
  if (schedule.problem == nullptr) return std::nullopt;
  return gray::cli::fail_usage("--schedule: {}; at '{}'", schedule.problem,
                               text.substr(schedule.problem_position));
}

std::uint32_t model_bit(const std::string& name) {
  if (name == "cache") return protocol::kWithoutCache;
  if (name == "readahead") return protocol::kWithoutReadahead;
  if (name == "write") return protocol::kWithoutWrites;
  return 0;
}

void add_shared_options(CLI::App& app, RunOptions& options, OptionTexts& texts) {
  app.add_option("--report", options.report_path, "write the report to FILE instead of stderr")
      ->type_name("FILE");
  app.add_option("--record", options.record_path,
                 "write every file operation and its outcome to FILE, for discnice replay")
      ->type_name("FILE");
  app.add_flag("--json", options.is_json, "write the report as one JSON object");
  app.add_option("--ledger", texts.ledger, "settle predictions by the kernel's own account: on or off")
      ->check(CLI::IsMember({"on", "off"}))
      ->type_name("on|off");
  app.add_option("--backend", texts.backend,
                 "how to find cached pages: auto, cachestat, mincore, nowait, timed, none")
      ->check(CLI::IsMember(std::vector<std::string>(std::begin(kBackends), std::end(kBackends))))
      ->type_name("NAME");
  app.add_option("--disable", texts.disabled, "do without these models: cache, readahead, write")
      ->type_name("MODEL,...");
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

// Parses, and takes what all commands have in common. Nothing when that went well.
std::optional<int> parse_shared(CLI::App& app, int argc, char** argv, RunOptions& options,
                                const OptionTexts& texts) {
  app.prefix_command();
  if (const auto status = gray::cli::parse(app, argc, argv)) return status;
  options.command = app.remaining();
  if (is_misspelt_option(options.command, argc, argv)) {
    return gray::cli::fail_usage("there is no option '{}'", options.command.front());
  }
  if (!options.command.empty() && options.command.front() == "--")
    options.command.erase(options.command.begin());
  if (options.command.empty())
    return gray::cli::fail_usage("no command to run: write discnice --rate 5M -- CMD ARG...");
  if (!options.record_path.empty()) options.job.recorded |= protocol::kRecordOperations;
  options.job.is_ledger_on = texts.ledger == "on" ? 1 : 0;
  for (std::uint32_t i = 0; i < std::size(kBackends); ++i) {
    if (texts.backend == kBackends[i]) options.job.cache_backend = i;
  }
  return check_disabled(texts.disabled, options);
}

}  // namespace

std::optional<int> read_run_options(int argc, char** argv, RunOptions& options) {
  CLI::App app{"Runs CMD with its disk traffic held to a rate, without root.", "discnice"};
  app.formatter(std::make_shared<UsageWithCommand>("[run]"));
  app.footer(kFooter);
  OptionTexts texts;
  texts.ledger = "on";
  add_limit_options(app, texts.limits);
  app.add_option("--schedule", texts.schedule,
                 "limits by the time of the week, e.g. \"Mon-Fri 09:00-18:00 2M, else nice\"")
      ->type_name("TEXT");
  app.add_option("--exclude", texts.excluded, "leave programs of this name alone; may be given several times")
      ->type_name("NAME");
  app.add_flag("--require", options.is_coverage_required,
               "end the job when a program of it can't be covered");
  app.add_flag("-q,--quiet", options.is_quiet, "no report");
  app.add_option("--profile", options.profile_path,
                 "write the call stacks of what reaches the disk to FILE, as folded stacks")
      ->type_name("FILE");
  add_shared_options(app, options, texts);
  if (const auto status = parse_shared(app, argc, argv, options, texts)) return status;
  if (!options.profile_path.empty()) options.job.recorded |= protocol::kRecordStacks;
  if (const auto status = set_excluded(texts.excluded, options.job)) return status;
  if (const auto status = read_schedule(texts.schedule, options.schedule)) return status;
  const Config config = load_config(config_path());
  for (const std::string& problem : config.problems) gray::cli::warn("{}", problem);
  apply_config(config, std::filesystem::path(options.command.front()).filename().string(), texts.limits);
  return apply_limits(texts.limits, options.grant);
}

std::optional<int> read_verify_options(int argc, char** argv, RunOptions& options) {
  CLI::App app{"Runs CMD without a limit and compares what is predicted with what the kernel counts.",
               "discnice"};
  app.formatter(std::make_shared<UsageWithCommand>("verify"));
  app.footer(kVerifyFooter);
  OptionTexts texts;
  texts.ledger = "off";
  add_shared_options(app, options, texts);
  if (const auto status = parse_shared(app, argc, argv, options, texts)) return status;
  options.job.is_verifying = 1;
  options.grant.policy_id = policy::kUnlimitedId;
  return std::nullopt;
}

}  // namespace discnice::cli
