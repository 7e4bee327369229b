// SPDX-License-Identifier: MIT
// grep_program: the real grep, started and waited for.
#pragma once

#include <string>
#include <vector>

#include <sys/types.h>

namespace gb_grep {

/// Where grep is: the first one in $PATH that is not this program, which may stand there under that name. Empty: there is none.
std::string find_grep();

/// The words as execv(2) wants them, "grep" first; they must outlive the answer.
std::vector<char*> as_arguments(const std::vector<std::string>& words);

/// Becomes grep. Returns the status to end with when that fails, and says why.
[[nodiscard]] int become_grep(const std::string& program, const std::vector<std::string>& words);

/// Starts it with these descriptors as stdout and stderr. It is ended when this program is. -1 after saying why not.
pid_t start_grep(const std::string& program, const std::vector<char*>& arguments, int out_fd, int err_fd);

/// Its exit status; when a signal ended it, the same signal ends this program.
int wait_for(pid_t grep);

/// What it prints and says for short work, and its status.
struct Answer {
  int status = 0;
  std::string out;
  std::string err;
};
Answer ask_grep(const std::string& program, const std::vector<std::string>& words);

/// A file in memory without a name, for those who inherit it; -1 where that fails.
int memory_file(const std::string& content);

/// The name by which whoever inherits a descriptor opens its file anew.
std::string name_of(int fd);

}  // namespace gb_grep
