// SPDX-License-Identifier: MIT
// report_command: `discnice report JOB`: tells how many bytes a running job has read and written, and how long it has waited. With --html it draws
// a page of a recording.
#include <cerrno>
#include <cstdio>
#include <fstream>
#include <optional>

#include "toolbox/cli/command_line.hpp"
#include "toolbox/cli/diagnostics.hpp"
#include "toolbox/cli/options.hpp"
#include "toolbox/html/output.hpp"
#include "tools/discnice/cli/job_history.hpp"
#include "tools/discnice/cli/job_page.hpp"
#include "tools/discnice/cli/job_processes.hpp"
#include "tools/discnice/cli/jobs.hpp"
#include "tools/discnice/cli/record_reader.hpp"
#include "tools/discnice/cli/report.hpp"
#include "tools/discnice/cli/subcommands.hpp"
#include "tools/discnice/processes/coverage.hpp"

namespace discnice::cli {
namespace {

using gray::cli::fail;
using gray::cli::kExitSomeFailed;

constexpr char kFooter[] =
    "Examples:\n"
    "  discnice report tar\n"
    "  discnice --record job.record -- tar cf backup.tar src\n"
    "  discnice report --html job.html job.record\n";

struct Options {
  std::string name;  // the name of a job or of a recording
  bool is_json = false;
  std::string page_path;
  std::string profile_path;
};

int report_job(const Options& options) {
  std::string problem;
  const auto job = find_job(options.name, &problem);
  if (!job) return fail(kExitSomeFailed, "{}", problem);
  Report report = make_report(job->segment());
  report.elapsed_s = static_cast<double>(job->age_ns()) / 1e9;
  for (const pid_t pid : processes_of(*job)) {
    // A process that ends meanwhile is counted in its parent's account.
    const auto account = processes::account_of(pid);
    if (!account) continue;
    if (!report.kernel) report.kernel.emplace();
    *report.kernel += *account;
  }
  std::fputs((options.is_json ? report_json(report) : report_text(report)).c_str(), stdout);
  return gray::cli::kExitSuccess;
}

int fail_to_read(const std::string& path) {
  return fail(kExitSomeFailed, "cannot read '{}': {}", path, gray::cli::error_text(errno));
}

// Returns 0 or the exit status.
int read_stacks(const std::string& path, std::optional<std::vector<NamedStack>>& stacks) {
  if (path.empty()) return gray::cli::kExitSuccess;
  std::ifstream file(path, std::ios::binary);
  if (!file) return fail_to_read(path);
  std::string problem;
  stacks = read_folded(file, path, problem);
  return problem.empty() ? gray::cli::kExitSuccess : fail(kExitSomeFailed, "{}", problem);
}

int draw_recording(const Options& options) {
  std::optional<std::vector<NamedStack>> stacks;
  if (const int status = read_stacks(options.profile_path, stacks)) return status;
  std::ifstream file(options.name, std::ios::binary);
  std::string problem;
  if (!file && errno == ENOENT && find_job(options.name, &problem))
    return fail(kExitSomeFailed,
                "'{}' is a job that runs: a page is made of what 'discnice --record FILE' has written",
                options.name);
  if (!file) return fail_to_read(options.name);
  RecordReader reader(file, options.name);
  HistoryMaker maker;
  protocol::TakenRecord record;
  while (reader.next(record)) maker.take(record);
  if (!reader.problem().empty()) return fail(kExitSomeFailed, "{}", reader.problem());
  return gray::html::write_page(options.page_path, job_page(reader.header(), maker.result(), stacks));
}

}  // namespace

int report_main(int argc, char** argv) {
  gray::cli::CommandLine app{
      "Reports on a job that still runs: what it has read, written and waited so far. With --html it draws a "
      "page of one that "
      "was recorded.",
      "discnice report"};
  Options options;
  app.usage(
      "Usage: discnice report [--json] JOB\n       discnice report --html FILE [--profile FILE] RECORDING");
  app.add_option(
         "JOB", options.name,
         "which job: its number, a pid of it, or its command; with --html: a recording made with --record")
      .required();
  app.add_flag("--json", options.is_json, "one JSON object");
  app.add_option("--html", options.page_path, "write a page to look at to FILE (- is stdout)")
      .type_name("FILE");
  app.add_option("--profile", options.profile_path,
                 "with --html: also show the call stacks that --profile FILE has written")
      .type_name("FILE");
  app.footer(kFooter);
  if (const auto status = gray::cli::parse(app, argc, argv)) return *status;
  const bool is_page = !options.page_path.empty();
  if (is_page && options.is_json) return gray::cli::fail_usage("--json and --html exclude one another");
  if (!is_page && !options.profile_path.empty()) return gray::cli::fail_usage("--profile goes with --html");
  return gray::cli::close_stdout(is_page ? draw_recording(options) : report_job(options));
}

}  // namespace discnice::cli
