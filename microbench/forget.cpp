// SPDX-License-Identifier: MIT
// forget: `microbench forget KEY...`: removes values from the record, so that the next run measures them again.
#include <cstdio>

#include "microbench/curve.hpp"
#include "microbench/interruption.hpp"
#include "microbench/subcommands.hpp"
#include "toolbox/cli/command_line.hpp"
#include "toolbox/cli/diagnostics.hpp"
#include "toolbox/cli/options.hpp"
#include "toolbox/repo/repository.hpp"

namespace microbench {
namespace {

using gray::repo::Source;

bool is_meant(const std::string& wanted, const gray::repo::Parameter& parameter) {
  const auto point = parse_point(parameter.key);
  return wanted == parameter.key || wanted == gray::repo::format_name(parameter.key, parameter.device) ||
         (point && wanted == point->curve);
}

}  // namespace

int forget_main(int argc, char** argv) {
  gray::cli::CommandLine app{"Takes values out of the record; the next run measures them again.",
                             "microbench forget"};
  bool is_all = false;
  bool is_for_host = false;
  std::vector<std::string> keys;
  app.add_flag("--all", is_all, "everything");
  app.add_flag("--host", is_for_host, "in /var/lib/gray instead of the user's own file");
  app.add_option("KEY", keys, "KEY on all devices, KEY@DEVICE, or the name of a curve").type_name("");
  if (const auto status = gray::cli::parse(app, argc, argv)) return *status;
  if (keys.empty() != is_all) return gray::cli::fail_usage("say which KEY, or --all");
  const Source source = is_for_host ? Source::kHost : Source::kUser;
  gray::repo::Repository repository(gray::repo::default_places());
  const gray::repo::LoadedFile& record = is_for_host ? repository.host_file() : repository.user_file();
  if (!record.problem.empty()) return gray::cli::fail(gray::cli::kExitSomeFailed, "{}", record.problem);
  gray::repo::Changes changes;
  for (const auto& parameter : record.parameters) {
    if (is_all) changes.forget.push_back({parameter.key, parameter.device});
  }
  bool has_failed = false;
  for (const std::string& key : keys) {
    const std::size_t before = changes.forget.size();
    for (const auto& parameter : record.parameters) {
      if (is_meant(key, parameter)) changes.forget.push_back({parameter.key, parameter.device});
    }
    if (changes.forget.size() > before) continue;
    gray::cli::warn("'{}' is not in the record", key);
    has_failed = true;
  }
  if (!changes.forget.empty()) {
    const SignalsHeld held;
    const auto outcome = repository.update(source, changes);
    if (!outcome.is_ok()) return gray::cli::fail(gray::cli::kExitSomeFailed, "{}", outcome.problem);
  }
  return gray::cli::close_stdout(has_failed ? gray::cli::kExitSomeFailed : 0);
}

}  // namespace microbench
