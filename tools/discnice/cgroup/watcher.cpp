// SPDX-License-Identifier: MIT
#include "tools/discnice/cgroup/watcher.hpp"

#include <cerrno>
#include <string_view>

#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "toolbox/cli/helper.hpp"
#include "tools/discnice/processes/orphans.hpp"

namespace discnice::cgroup {
namespace {

// The messages to the watcher. The watcher notices the death of the limiter because its socket is then closed.
constexpr char kEnd = 'e';
constexpr char kWritesLeft = 'w';
constexpr int kLookMs = 100;

void tell() {
  constexpr std::string_view kText = "discnice: discnice was killed: its programs go on WITHOUT A LIMIT\n";
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, kText.data(), kText.size());
}

[[noreturn]] void watch(const Group& group, int socket) {
  gray::cli::become_helper(socket, "discnice-guard");
  char word = 0;
  while (read(socket, &word, 1) < 0 && errno == EINTR) {
  }
  if (word == kEnd) _exit(0);
  if (word != kWritesLeft) {
    group.lift();
    if (group.has_processes()) tell();
  }
  // Standard error may be a pipe, and its reader waits until every process has closed it.
  close(STDERR_FILENO);
  while (group.has_processes() || (word == kWritesLeft && group.dirty_bytes() != 0) || !group.remove())
    poll(nullptr, 0, kLookMs);
  _exit(0);
}

}  // namespace

Watcher::Watcher(const Group& group) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return;
  pid_ = processes::fork_helper();
  if (pid_ == 0) watch(group, ends[1]);
  close(ends[1]);
  socket_ = ends[0];
}

bool Watcher::has_ended() const {
  return pid_ > 0 && waitpid(pid_, nullptr, WNOHANG) == pid_;
}

void Watcher::say(char word) {
  if (socket_ < 0) return;
  send(socket_, &word, 1, MSG_NOSIGNAL);
  close(socket_);
  socket_ = -1;
}

void Watcher::dismiss() {
  say(kEnd);
}

void Watcher::leave_to_it() {
  say(kWritesLeft);
}

Watcher::~Watcher() {
  if (socket_ >= 0) close(socket_);
}

}  // namespace discnice::cgroup
