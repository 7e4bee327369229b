// SPDX-License-Identifier: MIT
// main: the main function of gb-wss, which shows how much of its memory a process works with.
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <string>

#include "toolbox/base/descriptor_limit.hpp"
#include "toolbox/cli/diagnostics.hpp"
#include "toolbox/cli/options.hpp"
#include "toolbox/cli/quantities.hpp"
#include "tools/gb-wss/options.hpp"
#include "tools/gb-wss/report.hpp"
#include "tools/gb-wss/sampler.hpp"
#include "tools/gb-wss/shortage.hpp"
#include "tools/gb-wss/targets.hpp"

namespace {

constexpr double kShortPercent = 1;  // of the last ten seconds, in which some task waited for memory

// The reason why a process could not be watched, and a remedy.
std::string reason(const gb_wss::Process& process) {
  switch (process.error) {
    case -ESRCH:
      return "there is no such process, it has ended, or it is a thread of the kernel's";
    case -EACCES:
    case -EPERM:
      return "it belongs to another user, or may not be looked into";
    case -ENOTSUP:
      return "it runs a virtual machine, whose use of memory is not seen here; or this kernel has no "
             "clear_refs";
    default:
      return gray::cli::error_text(process.error);
  }
}

int run(const gb_wss::Options& options) {
  for (const std::string& folder : options.cgroups) {
    if (!gb_wss::is_cgroup(folder))
      return gray::cli::fail_usage("'{}' is not the folder of a control group: it has no file cgroup.procs",
                                   gray::cli::escape_controls(folder));
  }
  if (const double percent = gb_wss::waited_percent(gb_wss::find_targets(options));
      percent >= kShortPercent && !options.is_forced) {
    return gray::cli::fail(gray::cli::kExitSomeFailed,
                           "memory is short: {:.0f} % of the last ten seconds somebody waited for it. To "
                           "look now could cost the process its pages; try later, or --anyway",
                           percent);
  }
  gray::base::allow_many_descriptors();  // two descriptors for each process
  const gb_wss::Sampling sampling = gb_wss::sample(options);
  int status = gray::cli::kExitSuccess;
  for (const gb_wss::Process& process : sampling.processes) {
    if (process.error != 0) {
      gray::cli::warn("process {}: {}", process.pid, reason(process));
      status = gray::cli::kExitSomeFailed;
    }
    for (const std::string& doubt : gb_wss::doubts_in_words(process))
      gray::cli::warn("process {}: {}", process.pid, doubt);
  }
  if (sampling.processes.empty())
    return gray::cli::fail(gray::cli::kExitSomeFailed, "there is no process in it");
  const auto ended = std::count_if(sampling.processes.begin(), sampling.processes.end(),
                                   [](const gb_wss::Process& process) { return process.has_ended; });
  if (ended != 0)
    gray::cli::warn("{} ended or executed another program meanwhile: figures are till then",
                    sampling.processes.size() == 1
                        ? "the process"
                        : fmt::format("{} of {} processes", ended, sampling.processes.size()));
  if (sampling.is_stretched)
    gray::cli::warn("looked for {}, so that it cost no more than 1 % of the time",
                    gray::cli::format_duration_ns(static_cast<double>(sampling.span_ns)));
  if (sampling.is_ended_early) gray::cli::warn("ended before its time");
  std::fputs((options.is_json ? gb_wss::json_report(sampling) : gb_wss::text_report(sampling)).c_str(),
             stdout);
  return gray::cli::close_stdout(status);
}

}  // namespace

int main(int argc, char** argv) {
  gray::cli::set_program_name("gb-wss");
  gb_wss::Options options;
  if (const auto status = gb_wss::read_options(argc, argv, options)) return *status;
  return run(options);
}
