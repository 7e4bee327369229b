// SPDX-License-Identifier: MIT
#include "tools/memnice/job.hpp"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>

#include <fcntl.h>

#include "toolbox/cli/diagnostics.hpp"
#include "tools/memnice/stops.hpp"

namespace memnice {
namespace {

namespace fs = std::filesystem;

// Who kills all that is called memnice leaves the guard.
constexpr char kGuardName[] = "guard-of-job";

// What the two ends of the start say to each other: an errno, and of which step.
struct Report {
  int error = 0;
  bool is_of_means = false;
};

[[noreturn]] void become(const std::vector<std::string>& command, Means& means, const sigset_t& mask,
                         int report_fd) {
  std::vector<char*> words;
  words.reserve(command.size() + 1);
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  Report report;
  report.error = -means.take_in(0);
  report.is_of_means = report.error != 0;
  if (report.error == 0) {
    sigprocmask(SIG_SETMASK, &mask, nullptr);
    execvp(words[0], words.data());
    report.error = errno;
  }
  if (write(report_fd, &report, sizeof report) < 0) _exit(gray::cli::kExitToolFailed);
  _exit(gray::cli::kExitToolFailed);
}

// Waits until the other end closes. False: it was dismissed before.
bool wait_for_end(int fd) {
  char word = 0;
  ssize_t length = 0;
  do {
    length = read(fd, &word, sizeof word);
  } while (length < 0 && errno == EINTR);
  return length != sizeof word;
}

[[noreturn]] void guard(int fd, Means& means) {
  setsid();  // a Ctrl-C is not meant for it
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) std::signal(number, SIG_IGN);
  for (const int ours : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) close(ours);
  prctl(PR_SET_NAME, kGuardName);
  if (wait_for_end(fd)) {
    means.end();
    let_all_go_on();
  }
  _exit(0);
}

}  // namespace

std::vector<pid_t> tree_of(pid_t root) {
  std::vector<pid_t> pids;
  if (root <= 0) return pids;
  pids.push_back(root);
  std::set<pid_t> known{root};
  for (std::size_t i = 0; i < pids.size(); ++i) {
    std::error_code ignored;
    for (const auto& thread : fs::directory_iterator("/proc/" + std::to_string(pids[i]) + "/task", ignored)) {
      std::ifstream children(thread.path() / "children");
      for (pid_t child = 0; children >> child;) {
        if (known.insert(child).second) pids.push_back(child);
      }
    }
  }
  std::erase_if(pids, [](pid_t pid) { return state_of(pid) == 'Z' || state_of(pid) == 'X'; });
  return pids;
}

Guard::Guard(Means& means) {
  int fds[2];
  if (!share_stops() || pipe2(fds, O_CLOEXEC) != 0) return;
  pid_ = fork();
  if (pid_ == 0) {
    close(fds[1]);
    guard(fds[0], means);
  }
  close(fds[0]);
  fd_ = fds[1];
}

Guard::~Guard() {
  const char dismissed = 0;
  while (write(fd_, &dismissed, sizeof dismissed) < 0 && errno == EINTR) {
  }
  close(fd_);
  while (pid_ > 0 && waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

Started start(const std::vector<std::string>& command, Means& means, const sigset_t& mask_for_child) {
  Started started;
  int fds[2];
  if (pipe2(fds, O_CLOEXEC) != 0) {
    started.means_error = errno;
    return started;
  }
  started.pid = fork();
  if (started.pid == 0) become(command, means, mask_for_child, fds[1]);
  close(fds[1]);
  Report report;
  ssize_t length = 0;
  do {
    length = started.pid < 0 ? 0 : read(fds[0], &report, sizeof report);
  } while (length < 0 && errno == EINTR);
  close(fds[0]);
  if (started.pid < 0)
    started.means_error = errno;
  else if (length == sizeof report)
    (report.is_of_means ? started.means_error : started.error) = report.error;
  return started;
}

}  // namespace memnice
