// SPDX-License-Identifier: MIT
#include "tools/discnice/notify/guard.hpp"

#include <cerrno>
#include <cstring>
#include <string_view>

#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "toolbox/cli/helper.hpp"
#include "tools/discnice/processes/orphans.hpp"

namespace discnice::notify {
namespace {

// The messages to the guard, each of one byte. The guard notices the death of the launcher because its socket is then closed.
constexpr char kListener = 'l';
constexpr char kEnd = 'e';
constexpr char kServe = 's';

void tell() {
  constexpr std::string_view kText = "discnice: discnice was killed: its programs go on WITHOUT A LIMIT\n";
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, kText.data(), kText.size());
}

void say_nothing() {}

// A message of one byte that may carry a descriptor.
struct Message {
  char word = 0;
  iovec part{&word, 1};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))]{};
  msghdr header{};

  Message() {
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    header.msg_control = control;
    header.msg_controllen = sizeof control;
  }
  Message(const Message&) = delete;
  Message& operator=(const Message&) = delete;
};

// Reads the next message; 0 at the end of the socket. Keeps a descriptor that comes with it.
char hear(int socket, int& listener_fd) {
  Message message;
  ssize_t got = -1;
  while ((got = recvmsg(socket, &message.header, MSG_CMSG_CLOEXEC)) < 0 && errno == EINTR) {
  }
  if (got <= 0) return 0;
  const cmsghdr* control = CMSG_FIRSTHDR(&message.header);
  if (control != nullptr && control->cmsg_type == SCM_RIGHTS)
    std::memcpy(&listener_fd, CMSG_DATA(control), sizeof listener_fd);
  return message.word;
}

[[noreturn]] void guard(int socket, TakenCalls& taken) {
  gray::cli::become_helper(socket, "discnice-guard");
  int listener_fd = -1;
  char word = kListener;
  while (word == kListener) word = hear(socket, listener_fd);
  if (word != kEnd && listener_fd >= 0)
    Listener(listener_fd, taken).let_all_go(word == kServe ? say_nothing : tell);
  _exit(0);
}

}  // namespace

int give_listener(int socket, int listener_fd) {
  Message message;
  message.word = kListener;
  cmsghdr* control = CMSG_FIRSTHDR(&message.header);
  control->cmsg_level = SOL_SOCKET;
  control->cmsg_type = SCM_RIGHTS;
  control->cmsg_len = CMSG_LEN(sizeof listener_fd);
  std::memcpy(CMSG_DATA(control), &listener_fd, sizeof listener_fd);
  return sendmsg(socket, &message.header, MSG_NOSIGNAL) == 1 ? 0 : errno;
}

Guard::Guard(TakenCalls& taken) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return;
  pid_ = processes::fork_helper();
  if (pid_ == 0) guard(ends[1], taken);
  close(ends[1]);
  socket_ = ends[0];
}

void Guard::say(char word) const {
  if (socket_ >= 0) send(socket_, &word, 1, MSG_NOSIGNAL);
}

bool Guard::has_ended() const {
  return pid_ > 0 && waitpid(pid_, nullptr, WNOHANG) == pid_;
}

void Guard::dismiss() {
  say(kEnd);
}

Guard::~Guard() {
  say(kServe);  // a guard that was dismissed does not read it
  if (socket_ >= 0) close(socket_);
}

}  // namespace discnice::notify
