// SPDX-License-Identifier: MIT
// report_command: `discnice report JOB`: what a job that still runs has read, written and waited so far.
#include <cstdio>

#include "toolbox/cli/command_line.hpp"
#include "toolbox/cli/diagnostics.hpp"
#include "toolbox/cli/options.hpp"
#include "tools/discnice/cli/job_processes.hpp"
#include "tools/discnice/cli/jobs.hpp"
#include "tools/discnice/cli/report.hpp"
#include "tools/discnice/cli/subcommands.hpp"
#include "tools/discnice/processes/coverage.hpp"

namespace discnice::cli {

int report_main(int argc, char** argv) {
  gray::cli::CommandLine app{"Reports on a job that still runs: what it has read, written and waited so far.",
                             "discnice report"};
  std::string name;
  bool is_json = false;
  app.add_option("JOB", name, "which job: its number, a pid of it, or its command").required();
  app.add_flag("--json", is_json, "one JSON object");
  if (const auto status = gray::cli::parse(app, argc, argv)) return *status;
  std::string problem;
  const auto job = find_job(name, &problem);
  if (!job) return gray::cli::fail(gray::cli::kExitSomeFailed, "{}", problem);
  Report report = make_report(job->segment());
  report.elapsed_s = static_cast<double>(job->age_ns()) / 1e9;
  for (const pid_t pid : processes_of(*job)) {
    const auto account = processes::account_of(pid);  // one that ends meanwhile is in its parent's
    if (!account) continue;
    if (!report.kernel) report.kernel.emplace();
    *report.kernel += *account;
  }
  std::fputs((is_json ? report_json(report) : report_text(report)).c_str(), stdout);
  return gray::cli::close_stdout(0);
}

}  // namespace discnice::cli
