// SPDX-License-Identifier: MIT
// adopt: `discnice adopt PID|NAME...`: takes running processes into a job and limits them from outside until the job is ended. `discnice release JOB`
// ends the job.
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <system_error>
#include <vector>

#include <fmt/core.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "toolbox/base/clock.hpp"
#include "toolbox/base/fd.hpp"
#include "toolbox/cli/command_line.hpp"
#include "toolbox/cli/diagnostics.hpp"
#include "toolbox/cli/options.hpp"
#include "tools/discnice/cli/job_keeper.hpp"
#include "tools/discnice/cli/jobs.hpp"
#include "tools/discnice/cli/limit_options.hpp"
#include "tools/discnice/cli/net_holder.hpp"
#include "tools/discnice/cli/report.hpp"
#include "tools/discnice/cli/schedule_option.hpp"
#include "tools/discnice/cli/subcommands.hpp"
#include "tools/discnice/pace/brake.hpp"
#include "tools/discnice/pace/pacer.hpp"
#include "tools/discnice/processes/coverage.hpp"
#include "tools/discnice/processes/processes.hpp"
#include "tools/discnice/protocol/segment.hpp"

namespace discnice::cli {
namespace {

using gray::cli::fail;

constexpr int kReleaseWaitMs = 1000;
constexpr char kFooter[] =
    "The processes, their threads and the children they start from now on share one limit. They are stopped "
    "and let go "
    "many\ntimes a second, and go on freely when this ends: by Ctrl-C, by 'discnice release', however it "
    "ends.\n"
    "\n"
    "Examples:\n"
    "  discnice adopt 4711 --rate 5M\n"
    "  discnice adopt restic java --policy idle\n"
    "  discnice adopt 4711 --tree --schedule \"Mon-Fri 09:00-18:00 2M, else nice\"\n";

volatile sig_atomic_t is_ended = 0;

void end(int /*signal_number*/) {
  is_ended = 1;
}

void end_on_signals() {
  struct sigaction action {};
  action.sa_handler = end;
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) sigaction(number, &action, nullptr);
}

struct AdoptOptions {
  std::vector<std::string> names;
  LimitTexts limits;
  policy::Schedule schedule;
  Grant grant;
  bool is_tree = false;
  bool is_json = false;
  bool is_quiet = false;
};

// Returns the processes of this user whose program has this name. For root these are the processes of all users.
std::vector<pid_t> find_by_name(const std::string& name) {
  std::vector<pid_t> found;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
    const std::string number = entry.path().filename();
    if (number.find_first_not_of("0123456789") != std::string::npos) continue;
    const auto pid = static_cast<pid_t>(std::atoi(number.c_str()));
    processes::Identity identity;
    if (pid == getpid() || processes::program_name_of(pid) != name) continue;
    if (processes::read_identity(pid, identity) && (identity.user == geteuid() || geteuid() == 0))
      found.push_back(pid);
  }
  return found;
}

bool is_number(const std::string& text) {
  return !text.empty() && text.size() < 10 && text.find_first_not_of("0123456789") == std::string::npos;
}

bool has_started_us(pid_t pid) {
  const auto below = processes::processes_below(pid);
  return std::find(below.begin(), below.end(), getpid()) != below.end();
}

std::string job_of(pid_t pid) {
  for (const MappedJob& job : find_jobs().jobs) {
    const protocol::Segment& segment = job.segment();
    const auto number = static_cast<std::uint32_t>(pid);
    if (protocol::find_member(segment, {number, protocol::own_pid_namespace(segment)}) != nullptr)
      return std::to_string(job.number());
  }
  return "";
}

// Returns why the process cannot be taken into a job; an empty text when the process can be taken.
std::string problem_with(pid_t pid) {
  processes::Identity identity;
  if (pid == 1) return "process 1 is init, from which all others come: adopt them one by one";
  if (pid == getpid()) return fmt::format("process {} is discnice itself", pid);
  if (pid <= 0 || !processes::read_identity(pid, identity)) return fmt::format("there is no process {}", pid);
  const std::string name = processes::program_name_of(pid);
  if (has_started_us(pid))
    return fmt::format("process {} ('{}') has started discnice, which would stand with it", pid, name);
  if (processes::image_of(pid).empty()) {
    if (identity.user != geteuid())
      return fmt::format("process {} ('{}') is another user's: only root may hold it", pid, name);
    return fmt::format("process {} ('{}') is a thread of the kernel, or has ended", pid, name);
  }
  const std::string job = job_of(pid);
  if (!job.empty())
    return fmt::format("process {} ('{}') is in job {} already: write discnice set {}", pid, name, job, job);
  pace::Brake trial;
  const int error = trial.stop(pid);
  if (error != 0)
    return fmt::format("the kernel lets us not stop process {} ('{}'): {}", pid, name,
                       gray::cli::error_text(error));
  return "";
}

// Returns the processes that the command line names. `problem` receives the reason when one of these processes cannot be taken.
std::vector<pid_t> find_roots(const std::vector<std::string>& names, std::string& problem) {
  std::vector<pid_t> roots;
  for (const std::string& name : names) {
    std::vector<pid_t> found;
    if (is_number(name))
      found.push_back(static_cast<pid_t>(std::atoi(name.c_str())));
    else
      found = find_by_name(name);
    if (found.empty()) problem = fmt::format("no process of yours is called '{}'", name);
    for (const pid_t pid : found) {
      if (problem.empty()) problem = problem_with(pid);
      roots.push_back(pid);
    }
  }
  return roots;
}

pace::Paced paced_of(const std::vector<pid_t>& roots, bool is_tree) {
  pace::Paced paced{roots, {}, processes::kAnyLibrary, true};
  if (is_tree) return paced;
  const std::set<pid_t> asked(roots.begin(), roots.end());
  for (const pid_t root : roots)
    for (const pid_t below : processes::processes_below(root))
      if (asked.count(below) == 0) paced.left_out.insert(below);
  return paced;
}

// Limits the processes until all of them have ended or a signal ends the job. Returns the bytes that the kernel has counted
// for them.
processes::KernelAccount hold(protocol::Segment& segment, const protocol::SegmentName& name,
                              const AdoptOptions& options, pace::Paced paced, NetHolder* net) {
  JobKeeper keeper(segment, name, {options.schedule, false, processes::kAnyLibrary, false});
  keeper.follow_schedule();
  if (net != nullptr) net->begin({paced.roots, paced.left_out});
  paced.segment_name = name;
  pace::Pacer pacer(segment, std::move(paced));
  while (is_ended == 0 && pacer.has_anybody()) {
    poll(nullptr, 0, kKeepMs);
    keeper.look_at_limits();
    for (const pace::Finding& one : pacer.take_findings())
      if (!one.is_held)
        gray::cli::warn("'{}' (pid {}) {}: it runs WITHOUT A LIMIT", one.name, one.pid, one.reason);
  }
  pacer.finish();
  if (net != nullptr) net->end();
  const pace::Growth all = pacer.all();
  const auto bytes = [](std::int64_t sum) {
    return static_cast<std::uint64_t>(std::max<std::int64_t>(sum, 0));
  };
  return {bytes(all.read_bytes), bytes(all.write_bytes), bytes(all.cancelled_bytes), 0, 0};
}

std::optional<int> read_options(int argc, char** argv, AdoptOptions& options) {
  gray::cli::CommandLine app{"Takes processes that run already, and holds their disk traffic to a rate.",
                             "discnice adopt"};
  app.footer(kFooter);
  app.add_option("PROCESS", options.names, "numbers of processes, or names of programs").required();
  add_limit_options(app, options.limits);
  app.add_option("--schedule", options.limits.schedule, "limits by the time of the week").type_name("TEXT");
  app.add_flag("--tree", options.is_tree, "with the children they have now");
  app.add_flag("--json", options.is_json, "write the report as one JSON object");
  app.add_flag("-q,--quiet", options.is_quiet, "no report");
  app.group("How fast", {"--schedule"});
  app.group("Who is held", {"--tree"});
  app.group("The report", {"--json", "--quiet"});
  if (const auto status = gray::cli::parse(app, argc, argv)) return status;
  std::string problem = apply_limits(options.limits, options.grant);
  options.schedule = schedule_of(options.limits);
  if (problem.empty()) problem = judge_schedule(options.grant, options.schedule, options.limits);
  if (problem.empty() && !options.limits.cache.empty())
    problem = "--cache has no effect on processes that are held from outside: leave it out";
  if (!problem.empty()) return gray::cli::fail_usage("{}", problem);
  return std::nullopt;
}

}  // namespace

int adopt_main(int argc, char** argv) {
  AdoptOptions options;
  if (const auto status = read_options(argc, argv, options)) return *status;
  std::string problem;
  const std::vector<pid_t> roots = find_roots(options.names, problem);
  if (!problem.empty()) return fail(gray::cli::kExitSomeFailed, "{}", problem);
  const bool has_net = is_net_asked(options.grant, options.schedule);
  if (const int status = has_net ? check_net() : 0; status != 0) return status;
  protocol::SegmentName name;
  protocol::JobOptions job{1, 0, 0};
  job.is_adopted = 1;
  auto segment = protocol::make(processes::program_name_of(roots.front()).c_str(), options.grant, job, &name);
  if (!segment)
    return fail(gray::cli::kExitToolFailed, "cannot make the job's account in /dev/shm: {}",
                gray::cli::error_text(segment.error()));
  std::unique_ptr<NetHolder> net;
  if (has_net) net = std::make_unique<NetHolder>(*segment.value(), Udp::left);
  if (net && net->status() != 0) {
    protocol::remove(name);
    return net->status();
  }
  end_on_signals();
  const std::uint64_t start_ns = gray::base::monotonic_ns();
  const auto account = hold(*segment.value(), name, options, paced_of(roots, options.is_tree), net.get());
  protocol::remove(name);
  if (options.is_quiet) return 0;
  Report report = make_report(*segment.value());
  report.elapsed_s = static_cast<double>(gray::base::monotonic_ns() - start_ns) / 1e9;
  report.kernel = account;
  std::fputs((options.is_json ? report_json(report) : report_text(report)).c_str(), stderr);
  return 0;
}

int release_main(int argc, char** argv) {
  gray::cli::CommandLine app{"Lets the processes of an adopted job go.", "discnice release"};
  std::string name;
  app.add_option("JOB", name, "which job: its number, a pid of it, or its command").required();
  app.footer("Example:\n  discnice release 4711\n");
  if (const auto status = gray::cli::parse(app, argc, argv)) return *status;
  std::string problem;
  const auto job = find_job(name, &problem);
  if (!job) return fail(gray::cli::kExitSomeFailed, "{}", problem);
  if (job->segment().options.is_adopted == 0)
    return fail(gray::cli::kExitSomeFailed,
                "job {} was started by discnice and not adopted: discnice set {} --policy unlimited takes "
                "its limit away",
                job->number(), job->number());
  const auto keeper = static_cast<pid_t>(job->number());
  if (keeper <= 0) return fail(gray::cli::kExitSomeFailed, "job {} is kept by nobody", job->number());
  // The pidfd shows the end of the process even before the parent has waited for it.
  const gray::base::ScopedFd process(static_cast<int>(syscall(SYS_pidfd_open, keeper, 0)));
  if (kill(keeper, SIGTERM) != 0)
    return fail(gray::cli::kExitSomeFailed, "cannot end job {}: {}", job->number(),
                gray::cli::error_text(errno));
  pollfd end{process.get(), POLLIN, 0};
  if (process.is_open()) poll(&end, 1, kReleaseWaitMs);
  return gray::cli::close_stdout(0);
}

}  // namespace discnice::cli
