// SPDX-License-Identifier: MIT
#include "toolbox/cli/helper.hpp"

#include <algorithm>
#include <csignal>

#include <sys/prctl.h>
#include <unistd.h>

#include "toolbox/base/call_numbers.hpp"

namespace gray::cli {
namespace {

// Closes everything except standard error, for its messages, and this descriptor.
void close_all_but(int kept) {
  close(STDIN_FILENO);
  close(STDOUT_FILENO);
  if (kept > STDERR_FILENO + 1) syscall(SYS_close_range, STDERR_FILENO + 1, kept - 1, 0);
  syscall(SYS_close_range, std::max(kept, STDERR_FILENO) + 1, ~0U, 0);
}

}  // namespace

void become_helper(int kept_fd, const char* name) {
  setsid();
  for (const int number : {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE, SIGUSR1, SIGUSR2})
    std::signal(number, SIG_IGN);
  prctl(PR_SET_NAME, name);
  close_all_but(kept_fd);
}

}  // namespace gray::cli
