// SPDX-License-Identifier: MIT
#include "bench/netsim/session.hpp"

#include <fmt/core.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/signalfd.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/netsim/carrier.hpp"
#include "bench/netsim/interface.hpp"
#include "toolbox/base/clock.hpp"
#include "toolbox/cli/child.hpp"
#include "toolbox/cli/diagnostics.hpp"
#include "toolbox/cli/options.hpp"

namespace netsim {
namespace {

using gray::base::ScopedFd;
using gray::cli::error_text;
using gray::cli::fail;
using gray::cli::kExitToolFailed;

constexpr char kOwnNetwork[] = "/proc/self/ns/net";
constexpr int kSignalled = 128;
constexpr time_t kEndingSeconds = 2;  // time to end after a SIGTERM, before SIGKILL
// A far command that cannot be started reports this within this time.
constexpr std::uint64_t kFarLeastNs = 1'000'000'000;

// Mounts a /proc that shows the processes by their numbers in this PID namespace. Mounts of the host are seen here, and mounts made here are not seen by the host.
bool mount_own_proc() {
  return mount("", "/", nullptr, MS_REC | MS_SLAVE, nullptr) == 0 &&
         mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr) == 0;
}

class Session {
 public:
  Session(const Options& options, int parent_fd) : options_(options), parent_fd_(parent_fd) {}
  int run();

 private:
  std::string make_ends();
  pid_t start(const std::vector<std::string>& command, const ScopedFd& network, bool is_far);
  bool look();
  void reap();
  [[nodiscard]] bool is_far_beginning() const;
  void end_others();
  [[nodiscard]] int write_report(const Carrier& carrier) const;

  const Options& options_;
  int parent_fd_;
  sigset_t mask_before_{};
  ScopedFd signals_;
  ScopedFd near_network_;
  ScopedFd far_network_;
  ScopedFd near_;
  ScopedFd far_;
  pid_t near_pid_ = -1;
  pid_t far_pid_ = -1;
  int near_status_ = kExitToolFailed;
  bool is_near_ended_ = false;
  bool has_children_ = true;
  std::uint64_t give_up_ns_ = UINT64_MAX;
  std::uint64_t far_started_ns_ = 0;
  std::FILE* report_ = nullptr;
};

std::string Session::make_ends() {
  std::string problem;
  near_network_ = ScopedFd::open(kOwnNetwork, O_RDONLY);
  near_ = make_interface(kNear, problem);
  if (!near_.is_open()) return problem;
  if (unshare(CLONE_NEWNET) != 0) return "a second network namespace: " + error_text(errno);
  far_network_ = ScopedFd::open(kOwnNetwork, O_RDONLY);
  far_ = make_interface(kFar, problem);
  if (!far_.is_open()) return problem;
  if (!near_network_.is_open() || !far_network_.is_open() || setns(near_network_.get(), CLONE_NEWNET) != 0)
    return "the network namespaces: " + error_text(errno);
  return "";
}

pid_t Session::start(const std::vector<std::string>& command, const ScopedFd& network, bool is_far) {
  const pid_t child = fork();
  if (child != 0) return child;
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  if (is_far) {
    setsid();  // signals of the terminal are for the near command
    const int null_fd = open("/dev/null", O_RDWR);
    if (null_fd >= 0) dup2(null_fd, STDIN_FILENO);
  }
  sigprocmask(SIG_SETMASK, &mask_before_, nullptr);
  if (options_.are_children_ignored) std::signal(SIGCHLD, SIG_IGN);
  if (setns(network.get(), CLONE_NEWNET) == 0) execvp(words[0], words.data());
  _exit(fail(errno == ENOENT ? gray::cli::kExitNotFound : gray::cli::kExitCannotInvoke, "'{}': {}",
             command[0], error_text(errno)));
}

void Session::reap() {
  int status = 0;
  for (;;) {
    const pid_t ended = waitpid(-1, &status, WNOHANG);
    has_children_ = ended >= 0 || errno != ECHILD;
    if (ended <= 0) return;
    const int told = WIFSIGNALED(status) ? kSignalled + WTERMSIG(status) : WEXITSTATUS(status);
    if (ended == near_pid_) {
      near_status_ = told;
      is_near_ended_ = true;
    } else if (ended == far_pid_) {
      far_pid_ = -1;
      if (told != 0 && give_up_ns_ == UINT64_MAX)  // it has ended before it was told to
        gray::cli::warn("the far command has ended with status {}", told);
    }
  }
}

// Whether the far command has been started less than kFarLeastNs ago. Then a SIGALRM comes when that time is over.
bool Session::is_far_beginning() const {
  const std::uint64_t now_ns = gray::base::monotonic_ns();
  if (far_pid_ < 0 || now_ns >= far_started_ns_ + kFarLeastNs) return false;
  const auto rest_us = static_cast<suseconds_t>((far_started_ns_ + kFarLeastNs - now_ns) / 1000 + 1);
  const itimerval timer{{0, 0}, {rest_us / 1'000'000, rest_us % 1'000'000}};
  setitimer(ITIMER_REAL, &timer, nullptr);
  return true;
}

void Session::end_others() {
  kill(-1, SIGTERM);
  kill(-1, SIGCONT);
  give_up_ns_ = gray::base::monotonic_ns() + static_cast<std::uint64_t>(kEndingSeconds) * 1'000'000'000;
  alarm(kEndingSeconds);
}

// Whether the session is over: the near command has ended, and the other commands have ended or their time is over.
bool Session::look() {
  signalfd_siginfo told{};
  while (read(signals_.get(), &told, sizeof told) == sizeof told) {
    const int number = static_cast<int>(told.ssi_signo);
    if (number != SIGCHLD && number != SIGALRM && !gray::cli::has_reached_all(number, told.ssi_code))
      kill(near_pid_, number);
  }
  char byte = 0;
  if (read(parent_fd_, &byte, 1) == 0) return true;
  reap();
  if (is_near_ended_ && has_children_ && give_up_ns_ == UINT64_MAX && !is_far_beginning()) end_others();
  return is_near_ended_ && (!has_children_ || gray::base::monotonic_ns() >= give_up_ns_);
}

int Session::write_report(const Carrier& carrier) const {
  const auto one = [](const LineCount& count) {
    return fmt::format(R"({{"packets": {}, "bytes": {}, "dropped": {}, "lost": {}, "queue_bytes_max": {}}})",
                       count.packets, count.bytes, count.dropped, count.lost, count.queue_bytes_max);
  };
  const std::string text = fmt::format("{{\"up\": {}, \"down\": {}, \"late_ns_max\": {}}}\n",
                                       one(carrier.up()), one(carrier.down()), carrier.late_ns_max());
  std::fputs(text.c_str(), report_);
  return -gray::cli::close_stream(report_);
}

int Session::run() {
  // The report is opened first, so that an unwritable report is noticed before the command runs.
  if (!options_.report_file.empty()) report_ = std::fopen(options_.report_file.c_str(), "we");
  if (report_ == nullptr && !options_.report_file.empty())
    return fail(kExitToolFailed, "{}: {}", gray::cli::escape_controls(options_.report_file),
                error_text(errno));
  sigset_t signals;
  sigemptyset(&signals);
  for (const int number : {SIGCHLD, SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM})
    sigaddset(&signals, number);
  sigprocmask(SIG_BLOCK, &signals, &mask_before_);
  signals_ = ScopedFd(signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK));
  if (unshare(CLONE_NEWNS | CLONE_NEWNET) != 0)
    return fail(kExitToolFailed, "no network namespace: {}", error_text(errno));
  if (!mount_own_proc()) return fail(kExitToolFailed, "no /proc of its own: {}", error_text(errno));
  const std::string problem = make_ends();
  if (!problem.empty()) return fail(kExitToolFailed, "no line: {}", problem);
  setenv("NETSIM_FAR", fmt::format("/proc/{}/fd/{}", getpid(), far_network_.get()).c_str(), 1);
  far_started_ns_ = gray::base::monotonic_ns();
  if (!options_.far_command.empty())
    far_pid_ = start({"/bin/sh", "-c", options_.far_command}, far_network_, true);
  near_pid_ = start(options_.command, near_network_, false);
  if (near_pid_ < 0) return fail(kExitToolFailed, "fork: {}", error_text(errno));
  Carrier carrier(options_.shape, std::move(near_), std::move(far_));
  carrier.carry_until([this] { return look(); }, signals_.get(), parent_fd_);
  if (report_ == nullptr) return near_status_;
  const int error = write_report(carrier);
  if (error == 0) return near_status_;
  gray::cli::warn("{}: {}", gray::cli::escape_controls(options_.report_file), error_text(error));
  return near_status_ == 0 ? gray::cli::kExitSomeFailed : near_status_;
}

}  // namespace

int run_session(const Options& options, int parent_fd) {
  return Session(options, parent_fd).run();
}

}  // namespace netsim
