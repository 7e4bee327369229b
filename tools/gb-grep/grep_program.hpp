// SPDX-License-Identifier: MIT
// grep_program: starts the real grep and waits for it.
#pragma once

#include <string>
#include <vector>

#include <sys/types.h>

namespace gb_grep {

/// The path of the first grep in $PATH that is not this program. This program may be installed there under the name "grep", too. Empty:
/// there is none.
std::string find_grep();

/// The words as arguments for execv(2), "grep" first. `words` must outlive the result.
std::vector<char*> as_arguments(const std::vector<std::string>& words);

/// Replaces this program by grep. If that fails, prints the reason and returns the exit status.
[[nodiscard]] int become_grep(const std::string& program, const std::vector<std::string>& words);

/// Starts grep with these descriptors as stdout and stderr. grep is ended when this program ends. Returns -1 after printing the reason if that fails.
pid_t start_grep(const std::string& program, const std::vector<char*>& arguments, int out_fd, int err_fd);

/// Waits for grep and returns its exit status. If a signal ended grep, the same signal ends this program.
int wait_for(pid_t grep);

/// The output of a short run of grep, and its status.
struct Answer {
  int status = 0;
  std::string out;
  std::string err;
};
Answer ask_grep(const std::string& program, const std::vector<std::string>& words);

/// Makes a file in memory without a name, whose descriptor child processes inherit; -1 if that fails.
int memory_file(const std::string& content);

/// The path by which a process that inherits the descriptor can open its file again.
std::string name_of(int fd);

}  // namespace gb_grep
