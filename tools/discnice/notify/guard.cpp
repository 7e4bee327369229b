// SPDX-License-Identifier: MIT
#include "tools/discnice/notify/guard.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <string_view>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tools/discnice/processes/orphans.hpp"

namespace discnice::notify {
namespace {

void tell() {
  constexpr std::string_view kText = "discnice: discnice was killed: its programs go on WITHOUT A LIMIT\n";
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, kText.data(), kText.size());
}

// But for standard error, for what it may have to tell, and these two.
void close_all_but(int one, int other) {
  const auto [low, high] = std::minmax(one, other);
  close(STDIN_FILENO);
  close(STDOUT_FILENO);
  if (low > STDERR_FILENO + 1) syscall(SYS_close_range, STDERR_FILENO + 1, low - 1, 0);
  if (high > low + 1) syscall(SYS_close_range, low + 1, high - 1, 0);
  syscall(SYS_close_range, high + 1, ~0U, 0);
}

// It has a session of its own: what ends ours by the terminal does not end it.
[[noreturn]] void guard(int our_end, Listener& listener) {
  setsid();
  for (const int number : {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE, SIGUSR1, SIGUSR2})
    std::signal(number, SIG_IGN);
  prctl(PR_SET_NAME, "discnice-guard");
  close_all_but(our_end, listener.fd());
  char byte = 0;
  ssize_t got = -1;
  while ((got = read(our_end, &byte, 1)) < 0 && errno == EINTR) {
  }
  if (got == 0) listener.let_all_go(tell);
  _exit(0);
}

}  // namespace

Guard::Guard(Listener& listener) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return;
  const pid_t pid = processes::fork_helper();
  if (pid == 0) {
    close(ends[1]);
    guard(ends[0], listener);
  }
  close(ends[0]);
  if (pid < 0)
    close(ends[1]);
  else
    pipe_ = ends[1];
}

void Guard::dismiss() {
  [[maybe_unused]] const ssize_t written = pipe_ < 0 ? 0 : write(pipe_, "", 1);
}

Guard::~Guard() {
  if (pipe_ >= 0) close(pipe_);
}

}  // namespace discnice::notify
