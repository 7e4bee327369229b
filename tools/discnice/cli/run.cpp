// SPDX-License-Identifier: MIT
// run: `discnice [run] OPTIONS -- CMD`: checks all options first, so that an error leaves nothing half done. Then it makes the job's segment, runs
// the command with the library preloaded, and reports.
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include <unistd.h>

#include "toolbox/base/result.hpp"
#include "toolbox/cli/diagnostics.hpp"
#include "toolbox/cli/preload.hpp"
#include "tools/discnice/cgroup/limiter.hpp"
#include "tools/discnice/cli/explain_command.hpp"
#include "tools/discnice/cli/gone_members.hpp"
#include "tools/discnice/cli/host_parameters.hpp"
#include "tools/discnice/cli/job_keeper.hpp"
#include "tools/discnice/cli/jobs.hpp"
#include "tools/discnice/cli/launcher.hpp"
#include "tools/discnice/cli/library.hpp"
#include "tools/discnice/cli/net_holder.hpp"
#include "tools/discnice/cli/observation.hpp"
#include "tools/discnice/cli/output_file.hpp"
#include "tools/discnice/cli/report.hpp"
#include "tools/discnice/cli/run_options.hpp"
#include "tools/discnice/cli/subcommands.hpp"
#include "tools/discnice/notify/large_call.hpp"
#include "tools/discnice/notify/watch.hpp"
#include "tools/discnice/policy/registry.hpp"
#include "tools/discnice/processes/target.hpp"
#include "tools/discnice/protocol/board.hpp"
#include "tools/discnice/protocol/members.hpp"
#include "tools/discnice/protocol/segment.hpp"
#include "tools/discnice/protocol/segment_guard.hpp"

namespace discnice::cli {
namespace {

using gray::cli::fail;
using gray::cli::kExitToolFailed;

// A program that ends within this time needs little work of the launcher. A program that the library cannot reach is held from the beginning.
constexpr int kShortMs = 2;

std::string_view value_or_empty(const char* value) {
  return value != nullptr ? value : "";
}

// Opens the report file before the command runs. Otherwise an unwritable file would be noticed only at the end of the command.
int open_report(const RunOptions& options, OutputFile& file) {
  const int error = options.report_path.empty() ? 0 : file.open(options.report_path);
  if (error == 0) return 0;
  return fail(kExitToolFailed, "cannot write the report to '{}': {}", options.report_path,
              gray::cli::error_text(error));
}

int fail_segment(int error) {
  if (error == -ENOENT)
    return fail(kExitToolFailed, "there is no /dev/shm to keep the job's account in: mount a tmpfs there");
  if (error == -ENOSPC)
    return fail(kExitToolFailed, "/dev/shm is full: a job needs up to {} KiB there",
                sizeof(protocol::Segment) / 1024);
  return fail(kExitToolFailed, "cannot make the job's account in /dev/shm: {}", gray::cli::error_text(error));
}

int fail_start(const Launch& launch, int error) {
  const int status = error == ENOENT ? gray::cli::kExitNotFound : gray::cli::kExitCannotInvoke;
  return fail(status, "cannot run '{}': {}", launch.path, gray::cli::error_text(error));
}

std::string text_of(const RunOptions& options, const Report& report, const Observation& observation) {
  const bool is_table = options.job.is_verifying != 0 && !options.is_json;
  if (is_table) return observation.extended(verification_text(report));
  return observation.extended(options.is_json ? report_json(report) : report_text(report));
}

// A closed standard error is no failure. Returns a negative errno when the text cannot be written for another reason.
int write_to_stderr(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
    if (written < 0 && errno != EINTR) return errno == EBADF ? 0 : -errno;
    if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

// Writes the report. When this fails, prints a warning and returns false.
bool write_report(const RunOptions& options, const std::string& text, OutputFile& file) {
  int error = 0;
  if (!file.is_open()) {
    error = write_to_stderr(text);
  } else {
    error = file.append(text);
    if (error == 0) error = file.finish();
  }
  if (error == 0) return true;
  gray::cli::warn("cannot write the report to {}: {}",
                  options.report_path.empty() ? "standard error" : "'" + options.report_path + "'",
                  gray::cli::error_text(error));
  return false;
}

void warn_when_uncovered(const protocol::Segment& segment, const std::string& command) {
  if (segment.members_total.load(std::memory_order_relaxed) != 0) return;
  gray::cli::warn("'{}' did not load libdiscnice.so: it is running without a limit", command);
}

// Another user may have taken the name of the board first. Then a job that gives way takes the traffic of this user's other jobs for foreground
// traffic. A job that does not give way is not affected.
void warn_when_board_is_taken(const protocol::Segment& segment) {
  if (policy::policy_by_id(protocol::load_grant(segment).policy_id).hold == nullptr) return;
  const auto board = protocol::map_board();
  if (board) {
    protocol::unmap(board.value());
  } else if (board.error() == -EPERM || board.error() == -EPROTO) {
    gray::cli::warn(
        "{}{} is not this user's alone: this job gives way to this user's other jobs as well, until its "
        "owner or root removes that",
        protocol::kSegmentFolder, protocol::board_name(geteuid()).text);
  }
}

// Publishes the read-ahead rules, by which the first read is predicted.
void publish_rules(protocol::Segment& segment, const gray::repo::Repository& repository) {
  protocol::publish_readahead_rules(segment, measured_readahead_rules(repository));
}

// Publishes the values that a very short program does not need. A process needs the limit of a timed probe after its first probes; until the limit
// is known, it compares probes in pairs. A process needs the time of a random read when somebody else uses the disk. If the launcher has not
// published this time, a process measures the time from its own reads.
void finish_start(protocol::Segment& segment, const gray::repo::Repository& repository) {
  protocol::publish_probe_limit(segment, probe_limit(repository).hit_max_ns);
  unsigned place = 0;
  for (const protocol::MeasuredRead& read : measured_reads(repository))
    protocol::publish_measured_read(segment, place++, read);
  clear_leftovers();
}

// Adds everything that ran without a limit to the report, no matter which part of discnice noticed it.
void note_uncovered(const JobKeeper& keeper, const protocol::Segment& segment,
                    const protocol::SegmentName& name, const std::string& command, Report& report) {
  for (const UncoveredProgram& one : keeper.uncovered())
    report.uncovered_programs.push_back(one.name + " " + one.reason);
  if (protocol::is_lost(segment) || protocol::is_cut_short(name)) {
    gray::cli::warn("somebody has damaged the job's account in /dev/shm: '{}' ran on without a limit",
                    command);
    report.uncovered_programs.push_back(command + " had its job's account damaged");
    return;
  }
  const std::string missed = keeper.missed(report);
  if (missed.empty()) return;
  report.uncovered_programs.push_back(missed);
  gray::cli::warn("{}: it ran WITHOUT A LIMIT", missed);
}

// The objects that hold the job in addition to the library and the pacer. A null pointer means that the user did not ask for that
// object.
struct Holders {
  std::unique_ptr<notify::Watch> watch;
  std::unique_ptr<cgroup::Limiter> limiter;
  std::unique_ptr<NetHolder> net;
};

// Runs the command in an existing job and reports. Returns the exit status.
int run_job(const RunOptions& options, const Launch& launch, const std::string& obstacle,
            protocol::Segment& segment, const protocol::SegmentName& name, OutputFile& report_file,
            Observation& observation, Holders holders) {
  const std::string& command = options.command.front();
  if (const int status = observation.start(segment, name)) return status;
  const std::string library = std::filesystem::path(observation.preload_library().path).filename().string();
  JobKeeper keeper(
      segment, name,
      {options.schedule, options.is_coverage_required, library, options.engine != Engine::preload, obstacle,
       options.is_quiet, !options.is_quiet && !is_from_outside(options.engine)});
  if (holders.limiter) keeper.hold_by(std::move(holders.limiter));
  keeper.follow_schedule();
  std::optional<gray::repo::Repository> repository;
  const auto start = [&] {
    warn_when_board_is_taken(segment);
    if (!repository && obstacle.empty()) publish_rules(segment, repository.emplace(host_repository()));
  };
  const auto begin = [&](pid_t program) {
    keeper.pace(program);
    if (holders.net) holders.net->begin({});
    if (!repository) publish_rules(segment, repository.emplace(host_repository()));
    finish_start(segment, *repository);
  };
  const Keep keep{kKeepMs,
                  [&](pid_t program) { keeper.look(program); },
                  [&](int listener_fd) { keeper.see_calls(listener_fd, std::move(holders.watch)); },
                  begin,
                  [&](pid_t program) { keeper.end(program); },
                  obstacle.empty() ? kShortMs : 0};
  const Ended ended = run_and_wait(
      launch, start, [&] { warn_when_uncovered(segment, command); }, keep);
  if (keeper.limiter() != nullptr) keeper.limiter()->end();
  if (holders.net) holders.net->end();
  release_gone_members(segment);
  Report report = make_report(segment);
  report.elapsed_s = ended.elapsed_s;
  report.after_end_s = keeper.after_end_s();
  report.kernel = ended.account;
  if (report.kernel) keeper.add_unwaited(*report.kernel);
  // This must be done before the name is removed, because the check finds the file by its name.
  const bool has_run = ended.start_error == 0 && ended.show_error == 0 && ended.group_error == 0;
  if (has_run) note_uncovered(keeper, segment, name, command, report);
  if (report.still_running == 0) protocol::remove(name);
  if (ended.show_error != 0)
    return fail(kExitToolFailed, "--engine notify: the kernel shows no calls here ({}): use --engine pace",
                gray::cli::error_text(ended.show_error));
  if (ended.group_error != 0)
    return fail(kExitToolFailed,
                "--engine cgroup: the program cannot be put into a group ({}): use --engine pace",
                gray::cli::error_text(ended.group_error));
  if (ended.start_error != 0) return fail_start(launch, ended.start_error);
  bool is_all_written = observation.finish(ended.account);
  add_other_class(report);
  if (!options.is_quiet)
    is_all_written =
        write_report(options, text_of(options, report, observation), report_file) && is_all_written;
  if (options.is_coverage_required && !report.uncovered_programs.empty()) return kExitToolFailed;
  const int status = end_like(ended.wait_status);
  return status == 0 && !is_all_written ? kExitToolFailed : status;
}

// Returns advice about an option that only the library can serve; null when no such option was given.
const char* needs_library(const RunOptions& options) {
  if (options.job.is_verifying != 0) return "there is nothing to verify";
  if (!options.record_path.empty()) return "leave out --record";
  if (!options.profile_path.empty()) return "leave out --profile";
  return options.engine == Engine::preload ? "leave out --engine preload" : nullptr;
}

// For an ordinary user, the kernel shows the calls of a program only if that program can no longer gain rights by running a set-user-ID program. So
// an ordinary user must request this mode.
ShowCalls show_calls_of(Engine engine, const processes::Target& target) {
  if (engine == Engine::notify) return ShowCalls::always;
  const bool is_for_us = engine == Engine::automatic && !target.obstacle.empty();
  return is_for_us && notify::may_show_calls_for_nothing() ? ShowCalls::if_privileged : ShowCalls::never;
}

int fail_group(const std::string& problem) {
  return fail(kExitToolFailed, "--engine cgroup: {}: use --engine pace", problem);
}

// Prepares the process that watches over the shown calls. Returns a negative errno when this process cannot be had and the user has asked to see the
// calls.
int watch_calls(ShowCalls& show_calls, std::unique_ptr<notify::Watch>& watch) {
  if (show_calls == ShowCalls::never) return 0;
  watch = std::make_unique<notify::Watch>();
  if (watch->is_ready()) return 0;
  const bool is_asked = show_calls == ShowCalls::always;
  show_calls = ShowCalls::never;
  return is_asked ? -EAGAIN : 0;
}

gray::base::Result<protocol::Segment*> make_segment(const RunOptions& options, const std::string& job_name,
                                                    protocol::SegmentName* name) {
  const auto make = [&] { return protocol::make(job_name.c_str(), options.grant, options.job, name); };
  auto segment = make();
  if (segment.error() != -ENOSPC) return segment;
  clear_leftovers();  // leftovers may have filled /dev/shm
  return make();
}

// Starts the holders that must exist before the program starts: in the kernel or in another process. Returns 0, or the exit status after the reason
// has been printed.
int begin_holders(const RunOptions& options, const cgroup::Plan& plan, protocol::Segment& segment,
                  Holders& holders) {
  if (is_net_asked(options.grant, options.schedule)) {
    holders.net = std::make_unique<NetHolder>(segment, Udp::held);
    if (holders.net->status() != 0) return holders.net->status();
  }
  if (options.engine != Engine::cgroup) return 0;
  for (const std::string& line : plan.lower) gray::cli::warn("{}", line);
  holders.limiter = std::make_unique<cgroup::Limiter>(plan);
  const std::string problem = holders.limiter->begin(options.grant);
  return problem.empty() ? 0 : fail_group(problem);
}

// The libraries that are loaded into the program. Those of an engine that works from outside are none.
std::string preload_of(const RunOptions& options, const Library& library, const Holders& holders) {
  std::vector<std::string> libraries;
  if (!is_from_outside(options.engine)) libraries.push_back(library.path);
  if (holders.net && holders.net->gate().is_there()) libraries.push_back(holders.net->gate().library());
  return libraries.empty() ? "" : gray::cli::preload_value(libraries);
}

Launch launch_of(const RunOptions& options, const processes::Target& target, const Library& library,
                 const protocol::SegmentName& name, ShowCalls show_calls, const Holders& holders) {
  Launch launch{
      target.path,
      options.command,
      {{"LD_PRELOAD", preload_of(options, library, holders)},
       {"ASAN_OPTIONS", gray::cli::address_sanitizer_options()},
       {protocol::kSegmentVariable, name.text},
       // The segment has these settings. The environment variables for use without the launcher must not contradict the segment.
       {"DISCNICE_RATE", ""},
       {"DISCNICE_POLICY", ""},
       {"DISCNICE_LEDGER", ""},
       {"DISCNICE_BACKEND", ""}},
      target.obstacle.empty(),
      show_calls,
      holders.limiter ? holders.limiter->entry_fd() : -1,
      holders.watch ? holders.watch->guard().socket() : -1};
  if (holders.net && holders.net->gate().is_there())
    launch.environment.push_back(holders.net->gate().variable());
  return launch;
}

// Does everything that follows the reading of the command line.
int run_as_asked(RunOptions& options) {
  const std::string_view disabled = value_or_empty(std::getenv("DISCNICE_DISABLE"));
  if (!disabled.empty() && disabled != "0")
    return fail(kExitToolFailed, "DISCNICE_DISABLE={} is set, so libdiscnice.so would do nothing: unset it",
                disabled);
  const processes::Target target = processes::find_target(options.command.front());
  if (target.exit_status != 0) return fail(target.exit_status, "{}", target.problem);
  if (const char* advice = needs_library(options); !target.obstacle.empty() && advice != nullptr)
    return fail(kExitToolFailed, "'{}' {}: a preloaded library cannot reach it; {}", target.path,
                target.obstacle, advice);
  if (is_net_asked(options.grant, options.schedule))
    if (const int status = check_net(); status != 0) return status;
  Observation observation(options);
  const Library library = observation.preload_library();
  if (!library.problem.empty()) return fail(kExitToolFailed, "{}", library.problem);
  OutputFile report_file;
  if (const int status = open_report(options, report_file)) return status;
  if (const int status = observation.open()) return status;
  cgroup::Plan plan;
  if (options.engine == Engine::cgroup) {
    plan = cgroup::plan_for(group_paths(target.path, options.command), options.grant);
    if (!plan.problem.empty()) return fail_group(plan.problem);
  }
  protocol::SegmentName name;
  const auto segment = make_segment(options, std::filesystem::path(target.path).filename().string(), &name);
  if (!segment) return fail_segment(segment.error());
  Holders holders;
  ShowCalls show_calls = show_calls_of(options.engine, target);
  int status = begin_holders(options, plan, *segment.value(), holders);
  if (status == 0 && watch_calls(show_calls, holders.watch) != 0)
    status = fail(kExitToolFailed,
                  "--engine notify: no process is to be had that watches over the calls: use --engine pace");
  if (status != 0) {
    protocol::remove(name);
    return status;
  }
  const Launch launch = launch_of(options, target, library, name, show_calls, holders);
  const std::string obstacle = is_from_outside(options.engine) ? "has no library" : target.obstacle;
  return run_job(options, launch, obstacle, *segment.value(), name, report_file, observation,
                 std::move(holders));
}

}  // namespace

int run_main(int argc, char** argv) {
  RunOptions options;
  if (const auto status = read_run_options(argc, argv, options)) return *status;
  return run_as_asked(options);
}

int verify_main(int argc, char** argv) {
  RunOptions options;
  if (const auto status = read_verify_options(argc, argv, options)) return *status;
  return run_as_asked(options);
}

}  // namespace discnice::cli
