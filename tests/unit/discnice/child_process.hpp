// SPDX-License-Identifier: MIT
// child_process: forks a child of a test. The child runs a few lines and ends without the test framework's exit.
#pragma once

#include <csignal>
#include <cstdint>

#include <sys/wait.h>
#include <unistd.h>

namespace discnice::test {

/// Forks, and runs `body()` in the child. Its result is the child's exit status. Returns the child's pid.
template <typename Body>
pid_t start_child(Body body) {
  const pid_t pid = fork();
  if (pid == 0) _exit(body());
  return pid;
}

/// Waits for a child. Returns its exit status, or 128 plus the signal that ended it.
inline int wait_for(pid_t pid) {
  int status = 0;
  if (waitpid(pid, &status, 0) != pid) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

inline std::uint32_t own_pid() {
  return static_cast<std::uint32_t>(getpid());
}

}  // namespace discnice::test
