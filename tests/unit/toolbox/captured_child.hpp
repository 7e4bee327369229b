// SPDX-License-Identifier: MIT
// captured_child: runs a function in a forked child and returns the child's output on stdout and stderr.
//
// It is for code that writes to the real descriptors or closes them. The output goes through temporary files, so that a
// pipe does not limit its size.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

struct CapturedChild {
  int exit_status = -1;  ///< -1 when a signal ended the child.
  std::string stdout_text;
  std::string stderr_text;
};

inline std::string read_from_start(std::FILE* file) {
  std::string text;
  std::rewind(file);
  char buffer[4096];
  for (std::size_t n = 0; (n = std::fread(buffer, 1, sizeof buffer, file)) > 0;) text.append(buffer, n);
  return text;
}

/// `body` returns the child's exit status. `stdout_fd` replaces stdout when it is not negative.
template <typename Body>
CapturedChild run_captured(Body body, int stdout_fd = -1) {
  std::FILE* out = std::tmpfile();
  std::FILE* err = std::tmpfile();
  if (out == nullptr || err == nullptr) std::abort();
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    dup2(stdout_fd >= 0 ? stdout_fd : fileno(out), STDOUT_FILENO);
    dup2(fileno(err), STDERR_FILENO);
    const int status = body();
    std::fflush(stdout);
    _exit(status);
  }
  int status = 0;
  waitpid(child, &status, 0);
  CapturedChild result;
  result.exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  result.stdout_text = read_from_start(out);
  result.stderr_text = read_from_start(err);
  std::fclose(out);
  std::fclose(err);
  return result;
}
