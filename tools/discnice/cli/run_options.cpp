// SPDX-License-Identifier: MIT
#include "tools/discnice/cli/run_options.hpp"

#include <cstdint>
#include <cstring>
#include <iterator>
#include <memory>

#include "toolbox/cli/diagnostics.hpp"
#include "toolbox/cli/options.hpp"
#include "toolbox/cli/quantities.hpp"
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
    "  discnice run ...               the same as without 'run' (for a CMD called 'status')\n"
    "\n"
    "Without the launcher: LD_PRELOAD=.../libdiscnice.so DISCNICE_RATE=5M CMD ...\n"
    "\n"
    "Examples:\n"
    "  discnice --rate 5M -- rsync -a src/ /backup/\n"
    "  discnice --rate 40Mbit --report backup.json --json -- tar cf backup.tar src\n"
    "  discnice -- make                (no limit: only report what it read and wrote)\n";

// CLI11 does not know that a command follows the options.
class UsageWithCommand : public CLI::Formatter {
 public:
  std::string make_usage(const CLI::App* /*app*/, std::string /*name*/) const override {
    return "Usage: discnice [run] [OPTIONS] [--] CMD [ARG...]\n";
  }
};

std::string policy_names() {
  std::string names;
  for (std::uint32_t id = 0; id < policy::policy_count(); ++id) {
    if (!names.empty()) names += ", ";
    names += policy::policy_by_id(id).name;
  }
  return names;
}

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

std::optional<int> check_policy(const std::string& name, RunOptions& options) {
  if (name.empty()) {
    options.grant.policy_id =
        options.grant.rate_bytes_per_s != 0 ? policy::kRateWindowId : policy::kUnlimitedId;
    return std::nullopt;
  }
  const int id = policy::policy_id_by_name(name.data(), name.size());
  if (id < 0) return gray::cli::fail_usage("there is no policy '{}': choose one of {}", name, policy_names());
  options.grant.policy_id = static_cast<std::uint32_t>(id);
  const policy::Policy& policy = policy::policy_by_id(options.grant.policy_id);
  if (policy.needs_rate && options.grant.rate_bytes_per_s == 0) {
    return gray::cli::fail_usage("policy '{}' needs a rate: add, for example, --rate 5M", name);
  }
  if (!policy.needs_rate && options.grant.rate_bytes_per_s != 0) {
    return gray::cli::fail_usage("policy '{}' takes no rate: leave out --rate or use --policy rate", name);
  }
  return std::nullopt;
}

}  // namespace

std::optional<int> read_run_options(int argc, char** argv, RunOptions& options) {
  CLI::App app{"Runs CMD with its disk traffic held to a rate, without root.", "discnice"};
  app.formatter(std::make_shared<UsageWithCommand>());
  app.prefix_command();
  app.footer(kFooter);
  std::string policy_name;
  std::string ledger = "on";
  std::string backend = "auto";
  gray::cli::add_rate_option(app, "-r,--rate", options.grant.rate_bytes_per_s,
                             "disk bytes a second for the whole job");
  app.add_option("-p,--policy", policy_name, "how to decide when an operation may go: " + policy_names());
  app.add_option("--report", options.report_path, "write the report to FILE instead of stderr")
      ->type_name("FILE");
  app.add_flag("--json", options.is_json, "write the report as one JSON object");
  app.add_flag("-q,--quiet", options.is_quiet, "no report");
  app.add_option("--ledger", ledger, "settle predictions by the kernel's own account: on or off")
      ->check(CLI::IsMember({"on", "off"}))
      ->type_name("on|off");
  app.add_option("--backend", backend,
                 "how to find cached pages: auto, cachestat, mincore, nowait, timed, none")
      ->check(CLI::IsMember(std::vector<std::string>(std::begin(kBackends), std::end(kBackends))))
      ->type_name("NAME");
  if (const auto status = gray::cli::parse(app, argc, argv)) return status;
  options.command = app.remaining();
  if (is_misspelt_option(options.command, argc, argv)) {
    return gray::cli::fail_usage("there is no option '{}'", options.command.front());
  }
  if (!options.command.empty() && options.command.front() == "--")
    options.command.erase(options.command.begin());
  if (options.command.empty())
    return gray::cli::fail_usage("no command to run: write discnice --rate 5M -- CMD ARG...");
  options.job.is_ledger_on = ledger == "on" ? 1 : 0;
  for (std::uint32_t i = 0; i < std::size(kBackends); ++i) {
    if (backend == kBackends[i]) options.job.cache_backend = i;
  }
  return check_policy(policy_name, options);
}

}  // namespace discnice::cli
