// SPDX-License-Identifier: MIT
#include "tools/memnice/job.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <set>

#include <fcntl.h>

#include "toolbox/cli/helper.hpp"
#include "tools/memnice/stops.hpp"

namespace memnice {
namespace {

namespace fs = std::filesystem;

// The guard has a name of its own, so that it lives on if all processes with the name memnice are killed.
constexpr char kGuardName[] = "guard-of-job";

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
  gray::cli::become_helper(fd, kGuardName);
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

}  // namespace memnice
