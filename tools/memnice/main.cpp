// SPDX-License-Identifier: MIT
// main: the main function of memnice, which runs a program in the background, with memory that no other program needs.
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <optional>

#include "toolbox/base/clock.hpp"
#include "toolbox/base/descriptor_limit.hpp"
#include "toolbox/cli/child.hpp"
#include "toolbox/cli/diagnostics.hpp"
#include "tools/memnice/holder.hpp"
#include "tools/memnice/job.hpp"
#include "tools/memnice/means.hpp"
#include "tools/memnice/options.hpp"
#include "tools/memnice/report.hpp"

namespace {

using memnice::WantedMeans;

// What an ordinary user can do to get a control group.
const char* hint() {
  return geteuid() == 0 ? "" : " (systemd-run --user --scope memnice ... gives an ordinary user a group)";
}

// The best means that the options allow. Returns null after printing why no means is possible.
std::unique_ptr<memnice::Means> choose(const memnice::Options& options) {
  std::string problem;
  if (options.means == WantedMeans::best || options.means == WantedMeans::group) {
    auto group = memnice::make_group(options.means == WantedMeans::group);
    if (group.means != nullptr) return std::move(group.means);
    problem = group.problem;
    if (options.means == WantedMeans::group) {
      gray::cli::warn("it cannot be held by a group: {}{}", problem, hint());
      return nullptr;
    }
  }
  if (options.means == WantedMeans::best)
    gray::cli::warn("it can only stand still while memory is short: {}{}", problem, hint());
  return memnice::make_pause();
}

bool write_report(std::FILE* file, const std::string& text) {
  const bool is_written = std::fputs(text.c_str(), file) >= 0;
  return std::fclose(file) == 0 && is_written;
}

// Returns false if the report could not be written.
bool tell(const memnice::Options& options, std::FILE* report, const memnice::Course& course,
          const std::string& means, std::uint64_t time_ns) {
  if (!options.is_quiet) gray::cli::warn("{}", memnice::line_of(course, means, time_ns));
  if (report == nullptr || write_report(report, memnice::json_of(course, means, time_ns))) return true;
  gray::cli::warn("'{}': {}", gray::cli::escape_controls(options.report), gray::cli::error_text(errno));
  return false;
}

int run(const memnice::Options& options) {
  std::FILE* report = options.report.empty() ? nullptr : std::fopen(options.report.c_str(), "we");
  if (report == nullptr && !options.report.empty())
    return gray::cli::fail(gray::cli::kExitToolFailed, "'{}': {}", gray::cli::escape_controls(options.report),
                           gray::cli::error_text(errno));
  const auto means = choose(options);
  if (means == nullptr) return gray::cli::kExitToolFailed;
  const memnice::Guard guard(*means);
  if (!guard.is_there()) {
    means->end();
    return gray::cli::fail(gray::cli::kExitToolFailed, "no process is to be had that watches over the job");
  }
  const std::uint64_t start_ns = gray::base::monotonic_ns();
  std::optional<memnice::Holder> holder;
  gray::cli::ChildHooks hooks;
  hooks.prepare = [&means] { return -means->take_in(0); };
  hooks.look = [&](pid_t child) {
    if (!holder) {
      // memnice opens two descriptors for each process of the job, so it raises its own limit of open descriptors. The limit of the job's processes stays as it was.
      gray::base::allow_many_descriptors();
      holder.emplace(options, *means, child);
    }
    return gray::cli::ChildPause{holder->step(gray::base::monotonic_ns()), -1};
  };
  if (means->kind() == memnice::MeansKind::pause)
    hooks.is_shell_job = false;  // it is we who have the job stand still
  hooks.before_signal = [&holder] {
    if (holder) holder->let_go();
  };
  const auto end = gray::cli::run_child(options.command, hooks);
  if (holder) holder->let_go();
  means->end();
  if (end.prepare_error != 0)
    return gray::cli::fail(gray::cli::kExitToolFailed, "{}: {}", means->name(),
                           gray::cli::error_text(end.prepare_error));
  if (!end.has_run) return end.status;
  const bool is_told = tell(options, report, holder ? holder->course() : memnice::Course{}, means->name(),
                            gray::base::monotonic_ns() - start_ns);
  return end.status == 0 && !is_told ? gray::cli::kExitSomeFailed : end.status;
}

}  // namespace

int main(int argc, char** argv) {
  gray::cli::occupy_standard_descriptors();
  gray::cli::set_program_name("memnice");
  memnice::Options options;
  if (const auto status = memnice::read_options(argc, argv, options)) return *status;
  return run(options);
}
