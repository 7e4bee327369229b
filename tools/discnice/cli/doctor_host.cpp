// SPDX-License-Identifier: MIT
#include "tools/discnice/cli/doctor_host.hpp"

#include <cerrno>
#include <csignal>
#include <ctime>
#include <optional>

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "toolbox/base/call_numbers.hpp"
#include "toolbox/base/fd.hpp"
#include "toolbox/cli/diagnostics.hpp"
#include "tools/discnice/cgroup/limiter.hpp"
#include "tools/discnice/cli/doctor_trial.hpp"
#include "tools/discnice/cli/jobs.hpp"
#include "tools/discnice/cli/library.hpp"
#include "tools/discnice/notify/large_call.hpp"
#include "tools/discnice/pace/signal_brake.hpp"
#include "tools/discnice/pace/trace_brake.hpp"
#include "tools/discnice/processes/kernel_account.hpp"
#include "tools/discnice/processes/processes.hpp"
#include "tools/discnice/protocol/segment.hpp"

namespace discnice::cli {
namespace {

using gray::base::ScopedFd;
using gray::cli::error_text;

constexpr int kLooksMax = 200;
constexpr timespec kLookTime{0, 1'000'000};

// A process that does nothing. It is killed when this object is destroyed.
class Sleeper {
 public:
  Sleeper() : pid_(fork()) {
    if (pid_ != 0) return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (;;) pause();
  }
  ~Sleeper() {
    if (pid_ <= 0) return;
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  Sleeper(const Sleeper&) = delete;
  Sleeper& operator=(const Sleeper&) = delete;

  [[nodiscard]] pid_t pid() const { return pid_; }

 private:
  pid_t pid_;
};

Check check_shared_memory() {
  Check check{"shared_memory", "shared memory", Health::works, "/dev/shm takes a job's account"};
  check.is_main = true;
  protocol::SegmentName name;
  const auto segment = protocol::make("doctor", Grant{}, protocol::JobOptions{1, 0, 0}, &name);
  if (segment) {
    protocol::unmap(segment.value());
    protocol::remove(name);
    return check;
  }
  check.health = Health::not_at_all;
  check.why = fmt::format("/dev/shm takes no job's account: {}", error_text(segment.error()));
  check.remedy = segment.error() == -ENOSPC
                     ? fmt::format("free {} KiB there, or make it larger", sizeof(protocol::Segment) / 1024)
                     : "a tmpfs on /dev/shm that everybody may write to: mount -o mode=1777 -t tmpfs tmpfs "
                       "/dev/shm";
  return check;
}

Check check_library() {
  Check check{"library", "library", Health::works, "is loaded into a program, which joins its job"};
  check.is_main = true;
  const Library library = find_library();
  const ScopedFd nowhere(open("/dev/null", O_WRONLY | O_CLOEXEC));
  const Trial trial = library.problem.empty() ? run_trial({}, nowhere.get()) : Trial{};
  const bool is_in = trial.exit_status == 0 && trial.processes > 0 && trial.uncovered.empty();
  if (library.problem.empty() && is_in) return check;
  check.health = Health::not_at_all;
  check.why = !library.problem.empty()          ? library.problem
              : !trial.said.empty()             ? trial.said
              : trial.exit_status == kTrialLost ? "the trial did not end"
                                                : "was not loaded into a program";
  check.remedy = library.problem.empty() ? "mend what is said; meanwhile --engine pace does without"
                                         : "put libdiscnice.so where it is looked for";
  return check;
}

Check check_account() {
  Check check{"kernel_account", "kernel account", Health::works,
              "/proc/self/io tells what a process has moved"};
  if (processes::account_of(getpid())) return check;
  check.health = Health::not_at_all;
  check.why = "/proc/self/io cannot be read: predictions stay uncorrected, and nothing is held from outside";
  check.remedy = "mount /proc; a kernel with CONFIG_TASK_IO_ACCOUNTING";
  return check;
}

bool is_in_state(pid_t pid, char wanted) {
  const std::string stat = processes::read_proc(pid, "stat");
  const auto at = stat.rfind(") ");
  return at != std::string::npos && stat[at + 2] == wanted;
}

template <typename Brake>
bool can_stop(Brake& brake, pid_t pid, char standing, const auto& attend) {
  if (pid <= 0 || brake.stop(pid) != 0) return false;
  for (int looks = 0; looks < kLooksMax; ++looks) {
    attend();
    if (is_in_state(pid, standing)) return true;
    nanosleep(&kLookTime, nullptr);
  }
  return false;
}

// Returns the means by which processes can be stopped here; an empty text when there is none.
std::string way_to_stop() {
  const Sleeper traced;
  pace::TraceBrake by_trace;
  if (can_stop(by_trace, traced.pid(), 't', [&] { by_trace.attend(); })) return "tracing";
  const Sleeper signalled;
  pace::SignalBrake by_signal;
  return can_stop(by_signal, signalled.pid(), 'T', [] {}) ? "SIGSTOP" : "";
}

// Runs a trial that writes to a disk. Returns nothing when no file can be made in `folder`.
std::optional<Trial> try_engine(const char* engine, const std::string& folder) {
  const ScopedFd file = folder.empty() ? ScopedFd() : make_nameless_file(folder);
  if (!file.is_open()) return std::nullopt;
  return run_held_trial({"--engine", engine}, file.get());
}

std::string why_not_held(const Trial& trial) {
  if (!trial.said.empty()) return trial.said;
  if (!trial.uncovered.empty()) return trial.uncovered;
  return trial.exit_status == kTrialLost ? "the trial did not end" : "the trial was not held back";
}

Check check_pace(const std::string& folder) {
  const std::string way = way_to_stop();
  Check check{"engine_pace", "--engine pace", Health::works,
              fmt::format("stops what the library can't reach, by {}", way)};
  const auto trial = try_engine("pace", folder);
  if (way.empty() || (trial && !is_held(*trial))) {
    check.health = Health::not_at_all;
    check.why = way.empty() ? "no process can be stopped: what the library cannot reach runs without a limit"
                            : why_not_held(*trial);
    check.remedy = "a sandbox that allows kill() or ptrace() of one's own processes, and /proc";
  } else if (way != "tracing") {
    check.health = Health::partly;
    check.why = "stops by SIGSTOP, for tracing is refused; a shell with job control in the job sees it";
    check.remedy = "kernel.yama.ptrace_scope below 3, and a sandbox that allows ptrace()";
  }
  return check;
}

// Tries to take over an open file of another process (pidfd_getfd). With such a file discnice makes large calls instead of the process that
// opened the file. Returns 0 or a negative errno.
int take_a_file() {
  const Sleeper sleeper;
  if (sleeper.pid() < 0) return -errno;
  const ScopedFd process(static_cast<int>(syscall(SYS_pidfd_open, sleeper.pid(), 0)));
  if (!process.is_open()) return -errno;
  const ScopedFd taken(static_cast<int>(syscall(SYS_pidfd_getfd, process.get(), STDERR_FILENO, 0)));
  return taken.is_open() || errno == EBADF ? 0 : -errno;
}

Check check_notify(const std::string& folder) {
  Check check{"engine_notify", "--engine notify", Health::works,
              notify::may_show_calls_for_nothing()
                  ? "makes large calls in steps; root gets it by itself"
                  : "large calls in steps; set-user-ID gives no rights then"};
  const ScopedFd nowhere(open("/dev/null", O_WRONLY | O_CLOEXEC));
  const auto on_disk = try_engine("notify", folder);
  const Trial trial = on_disk ? *on_disk : run_trial({"--engine", "notify"}, nowhere.get());
  const int error = take_a_file();
  if (trial.exit_status != 0 || (on_disk && !is_held(trial))) {
    check.health = Health::not_at_all;
    check.why = why_not_held(trial);
    check.remedy = "a kernel from 5.6 on, and a sandbox that allows seccomp()";
  } else if (error != 0) {
    check.health = Health::partly;
    check.why = fmt::format("sees large calls and cannot make them in steps: {}", error_text(error));
    check.remedy = "a sandbox that allows pidfd_getfd() of one's own processes";
  }
  return check;
}

Check check_network() {
  Check check{"net", "--net", Health::works, "reaches the sockets of a job's processes"};
  const int error = take_a_file();
  if (error == 0) return check;
  check.health = Health::not_at_all;
  check.why = fmt::format("sockets of other processes cannot be reached: {}", error_text(error));
  check.remedy = "a kernel from 5.6 on, and a sandbox that allows pidfd_getfd() of one's own processes";
  return check;
}

Check check_cgroup(const std::string& folder) {
  Check check{"engine_cgroup", "--engine cgroup", Health::works, ""};
  const cgroup::Plan plan = cgroup::plan_for({folder.empty() ? "." : folder}, Grant{});
  if (!plan.problem.empty()) {
    check.health = Health::not_at_all;
    check.why = plan.problem;
    check.remedy = geteuid() == 0 ? "a host, or a container, whose control groups may be written to"
                                  : "root, or the io controller delegated to you: systemd-run --user --scope";
    return check;
  }
  check.why = fmt::format("the kernel holds jobs, in {}", plan.place.folder);
  if (plan.place.version == cgroup::Version::two) return check;
  check.health = Health::partly;
  check.why = "the kernel holds reads, and discnice writes";
  check.remedy = "control groups of version 2 with the io controller";
  return check;
}

Check check_other_rights() {
  Check check{"set_user_id", "set-user-ID", Health::works, "root holds such programs, too"};
  if (geteuid() == 0) return check;
  const bool is_without = prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1;
  check.health = is_without ? Health::partly : Health::not_at_all;
  check.why = is_without
                  ? "no_new_privs is set: sudo and its like get no rights, and a job's are held"
                  : "nobody but root can hold sudo and its like: as CMD refused, in a job named at once";
  check.remedy = "start discnice as root";
  return check;
}

Check check_jobs() {
  Check check{"jobs", "jobs now", Health::works, ""};
  const FoundJobs found = find_jobs();
  for (const MappedJob& job : found.jobs)
    check.why +=
        fmt::format("{}{} ({})", check.why.empty() ? "" : ", ", command_of(job.segment()), job.number());
  if (check.why.empty()) check.why = "none is running";
  if (found.is_complete) return check;
  check.health = Health::partly;
  check.why += "; " + some_missing();
  check.remedy = "remove what others have left in /dev/shm";
  return check;
}

}  // namespace

std::vector<Check> check_host(const std::string& folder) {
  std::vector<Check> checks{check_shared_memory(), check_library(),      check_account(),
                            check_pace(folder),    check_notify(folder), check_cgroup(folder),
                            check_network(),       check_other_rights(), check_jobs()};
  return checks;
}

}  // namespace discnice::cli
