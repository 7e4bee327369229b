// SPDX-License-Identifier: MIT
// grep_program: starts the real grep and waits for it.
#pragma once

#include <string>
#include <vector>

#include <sys/types.h>

namespace gb_grep {

/// The path of grep: the first one in $PATH that is not this program, which may be installed under that name. Empty if there is none.
std::string find_grep();

/// The words as execv(2) needs them, "grep" first. The words must outlive the answer.
std::vector<char*> as_arguments(const std::vector<std::string>& words);

/// Replaces this program by grep. If that fails, says why and returns the exit status.
[[nodiscard]] int become_grep(const std::string& program, const std::vector<std::string>& words);

/// Starts grep with these descriptors as stdout and stderr. grep is ended when this program ends. Returns -1 after saying why it failed.
pid_t start_grep(const std::string& program, const std::vector<char*>& arguments, int out_fd, int err_fd);

/// The exit status of grep. If a signal ended grep, the same signal ends this program.
int wait_for(pid_t grep);

/// The output, the messages and the status of a short run.
struct Answer {
  int status = 0;
  std::string out;
  std::string err;
};
Answer ask_grep(const std::string& program, const std::vector<std::string>& words);

/// A file in memory without a name, which child processes inherit; -1 if that fails.
int memory_file(const std::string& content);

/// The name by which a child process opens an inherited descriptor anew.
std::string name_of(int fd);

}  // namespace gb_grep
