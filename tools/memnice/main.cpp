// SPDX-License-Identifier: MIT
// main: of memnice, which runs a program in the background's place: with memory that nobody else wants.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <ctime>

#include "toolbox/base/clock.hpp"
#include "toolbox/base/descriptor_limit.hpp"
#include "toolbox/cli/diagnostics.hpp"
#include "tools/memnice/holder.hpp"
#include "tools/memnice/job.hpp"
#include "tools/memnice/means.hpp"
#include "tools/memnice/options.hpp"
#include "tools/memnice/report.hpp"

namespace {

using memnice::WantedMeans;

constexpr int kSignalled = 128;

// What an ordinary user can do about it.
const char* hint() {
  return geteuid() == 0 ? "" : " (systemd-run --user --scope memnice ... gives an ordinary user a group)";
}

// The best means that were not excluded; null after a line that says why there are none.
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

int status_of(int status) {
  return WIFSIGNALED(status) ? kSignalled + WTERMSIG(status) : WEXITSTATUS(status);
}

// Until the program ends: its status. A Ctrl-C of the keyboard reaches it by itself; whatever else is to end us is passed on, and all is let go for it.
int hold_until_end(pid_t child, memnice::Holder& holder, const sigset_t& signals) {
  for (;;) {
    int status = 0;
    const pid_t ended = waitpid(child, &status, WNOHANG);
    if (ended == child) return status_of(status);
    if (ended < 0 && errno != EINTR) return gray::cli::kExitToolFailed;
    const timespec pause{0, static_cast<long>(holder.step(gray::base::monotonic_ns()))};
    siginfo_t sent{};
    const int number = sigtimedwait(&signals, &sent, &pause);
    if (number != SIGTERM && number != SIGHUP && number != SIGINT && number != SIGQUIT) continue;
    holder.let_go();
    const bool is_of_keyboard = (number == SIGINT || number == SIGQUIT) && sent.si_code == SI_KERNEL;
    if (!is_of_keyboard) kill(child, number);
  }
}

// A descriptor of ours must not come to lie where the job's input, output or errors would be. The job finds them closed, as they were.
void occupy_standard_descriptors() {
  int fd = 0;
  do {
    fd = open("/dev/null", O_RDWR | O_CLOEXEC);
  } while (fd >= 0 && fd <= STDERR_FILENO);
  if (fd >= 0) close(fd);
}

// What is to end us. A signal that our caller ignores, as nohup does, is none of our business. Nothing but the mask is changed: the job inherits all else.
sigset_t awaited_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int number : {SIGTERM, SIGHUP, SIGINT, SIGQUIT}) {
    struct sigaction inherited {};
    sigaction(number, nullptr, &inherited);
    if (inherited.sa_handler != SIG_IGN) sigaddset(&signals, number);
  }
  std::signal(SIGCHLD, SIG_DFL);  // it may have been inherited ignored; then nothing would be waited for
  for (const int number : {SIGCHLD, SIGPIPE}) sigaddset(&signals, number);
  return signals;
}

bool write_report(std::FILE* file, const std::string& text) {
  const bool is_written = std::fputs(text.c_str(), file) >= 0;
  return std::fclose(file) == 0 && is_written;
}

void tell(const memnice::Options& options, std::FILE* report, const memnice::Course& course,
          const std::string& means, std::uint64_t time_ns) {
  if (!options.is_quiet) gray::cli::warn("{}", memnice::line_of(course, means, time_ns));
  if (report != nullptr && !write_report(report, memnice::json_of(course, means, time_ns)))
    gray::cli::warn("'{}': {}", gray::cli::escape_controls(options.report), gray::cli::error_text(errno));
}

int run(const memnice::Options& options) {
  std::FILE* report = options.report.empty() ? nullptr : std::fopen(options.report.c_str(), "we");
  if (report == nullptr && !options.report.empty())
    return gray::cli::fail(gray::cli::kExitToolFailed, "'{}': {}", gray::cli::escape_controls(options.report),
                           gray::cli::error_text(errno));
  const sigset_t signals = awaited_signals();
  sigset_t mask_before;
  sigprocmask(SIG_BLOCK, &signals, &mask_before);
  const auto means = choose(options);
  if (means == nullptr) return gray::cli::kExitToolFailed;
  const memnice::Guard guard(*means);
  if (!guard.is_there()) {
    means->end();
    return gray::cli::fail(gray::cli::kExitToolFailed, "no process is to be had that watches over the job");
  }
  const std::uint64_t start_ns = gray::base::monotonic_ns();
  const memnice::Started started = memnice::start(options.command, *means, mask_before);
  if (started.error != 0 || started.means_error != 0) {
    if (started.pid > 0) waitpid(started.pid, nullptr, 0);
    means->end();
    if (started.means_error != 0)
      return gray::cli::fail(gray::cli::kExitToolFailed, "{}: {}", means->name(),
                             gray::cli::error_text(started.means_error));
    return gray::cli::fail(started.error == ENOENT ? gray::cli::kExitNotFound : gray::cli::kExitCannotInvoke,
                           "'{}': {}", gray::cli::escape_controls(options.command[0]),
                           gray::cli::error_text(started.error));
  }
  gray::base::allow_many_descriptors();  // two for each process of the job; the job keeps its own limit
  memnice::Holder holder(options, *means, started.pid);
  const int status = hold_until_end(started.pid, holder, signals);
  holder.let_go();
  means->end();
  tell(options, report, holder.course(), means->name(), gray::base::monotonic_ns() - start_ns);
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  occupy_standard_descriptors();
  gray::cli::set_program_name("memnice");
  memnice::Options options;
  if (const auto status = memnice::read_options(argc, argv, options)) return *status;
  return run(options);
}
