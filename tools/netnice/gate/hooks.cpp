// SPDX-License-Identifier: MIT
// hooks: libnetnice.so, which stands in front of libc's functions that send and receive, and holds what goes by UDP to the rate of netnice --rate.
//
// A guest in somebody else's process: no heap, lock, thread or open descriptor. What it does not understand passes. What a program does past libc (Go, a static program,
// io_uring, syscall()) does not come here; netnice says which sockets are not held.
#include <cerrno>
#include <cstdarg>
#include <cstdlib>

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "toolbox/base/raw_sys.hpp"
#include "tools/netnice/gate/held_call.hpp"
#include "tools/netnice/gate/page.hpp"

#define NETNICE_HOOK extern "C" __attribute__((visibility("default")))

// The functions of libc that headers do not declare: what a program calls that was compiled with _FORTIFY_SOURCE.
extern "C" {
ssize_t __read_chk(int fd, void* data, size_t size, size_t room);
ssize_t __recv_chk(int fd, void* data, size_t size, size_t room, int flags);
ssize_t __recvfrom_chk(int fd, void* data, size_t size, size_t room, int flags, sockaddr* from,
                       socklen_t* from_length);
}

namespace {

using gray::base::is_raw_error;
using gray::base::raw_syscall;
using gray::base::word;
using namespace netnice::gate;

// The next function of each name. Before the constructor has run, another library's constructor may call one of them: then the system call is made.
struct {
  decltype(&::read) read;
  decltype(&::readv) readv;
  decltype(&::recv) recv;
  decltype(&::recvfrom) recvfrom;
  decltype(&::recvmsg) recvmsg;
  decltype(&::recvmmsg) recvmmsg;
  decltype(&::write) write;
  decltype(&::writev) writev;
  decltype(&::send) send;
  decltype(&::sendto) sendto;
  decltype(&::sendmsg) sendmsg;
  decltype(&::sendmmsg) sendmmsg;
  decltype(&::socket) socket;
  decltype(&::dup) dup;
  decltype(&::dup2) dup2;
  decltype(&::dup3) dup3;
  decltype(&::fcntl) fcntl;
  decltype(&::fcntl) fcntl64;
  decltype(&::__read_chk) read_chk;
  decltype(&::__recv_chk) recv_chk;
  decltype(&::__recvfrom_chk) recvfrom_chk;
} next;

template <typename Function>
void find_next(Function& function, const char* name) {
  function = reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

__attribute__((constructor)) void begin() {
  const int error_before = errno;
  find_next(next.read, "read");
  find_next(next.readv, "readv");
  find_next(next.recv, "recv");
  find_next(next.recvfrom, "recvfrom");
  find_next(next.recvmsg, "recvmsg");
  find_next(next.recvmmsg, "recvmmsg");
  find_next(next.write, "write");
  find_next(next.writev, "writev");
  find_next(next.send, "send");
  find_next(next.sendto, "sendto");
  find_next(next.sendmsg, "sendmsg");
  find_next(next.sendmmsg, "sendmmsg");
  find_next(next.socket, "socket");
  find_next(next.dup, "dup");
  find_next(next.dup2, "dup2");
  find_next(next.dup3, "dup3");
  find_next(next.fcntl, "fcntl");
  find_next(next.fcntl64, "fcntl64");
  find_next(next.read_chk, "__read_chk");
  find_next(next.recv_chk, "__recv_chk");
  find_next(next.recvfrom_chk, "__recvfrom_chk");
  start(std::getenv(kVariable));
  errno = error_before;
}

long with_errno(long result) {
  if (!is_raw_error(result)) return result;
  errno = static_cast<int>(-result);
  return -1;
}

// Makes the call by the next library's function if it is known.
template <typename Function, typename... Arguments>
auto make(Function function, long number, Arguments... arguments) {
  using Result = decltype(function(arguments...));
  if (function != nullptr) return function(arguments...);
  const auto as_word = [](auto argument) {
    if constexpr (std::is_pointer_v<decltype(argument)>)
      return word(argument);
    else
      return static_cast<long>(argument);
  };
  return static_cast<Result>(with_errno(raw_syscall(number, as_word(arguments)...)));
}

bool may_be_held(int fd) {
  return is_at_work() && is_udp(fd);
}

std::uint64_t bytes_of(const iovec* pieces, std::size_t count) {
  constexpr std::size_t kPiecesMost = 1024;  // the kernel refuses more
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; pieces != nullptr && i < count && count <= kPiecesMost; ++i)
    bytes += pieces[i].iov_len;
  return bytes;
}

std::uint64_t bytes_of(const mmsghdr* messages, unsigned count) {
  std::uint64_t bytes = 0;
  for (unsigned i = 0; messages != nullptr && i < count; ++i)
    bytes += bytes_of(messages[i].msg_hdr.msg_iov, messages[i].msg_hdr.msg_iovlen);
  return bytes;
}

std::uint64_t moved_bytes(const mmsghdr* messages, int count) {
  std::uint64_t bytes = 0;
  for (int i = 0; i < count; ++i) bytes += messages[i].msg_len;
  return bytes;
}

std::uint64_t not_negative(ssize_t result) {
  return result > 0 ? static_cast<std::uint64_t>(result) : 0;
}

template <typename Call>
ssize_t sent(int fd, std::uint64_t bytes, Peer peer, Call call) {
  const SendPermit permit = before_send(fd, bytes, peer);
  const ssize_t result = call();
  after_send(permit, not_negative(result));
  return result;
}

// `peer_of` tells the sender of what has come, as far as the program has asked for it.
template <typename Call, typename PeerOf>
ssize_t received(int fd, int flags, Call call, PeerOf peer_of) {
  Lane* const lane = before_receive(fd, flags);
  const ssize_t result = call();
  if (result > 0) after_receive(lane, not_negative(result), peer_of());
  return result;
}

Peer unknown() {
  return {};
}

void look_for_descriptors(const msghdr* message) {
  if (message->msg_controllen < sizeof(cmsghdr) || message->msg_control == nullptr) return;
  const auto* first = CMSG_FIRSTHDR(message);
  if (first != nullptr && first->cmsg_level == SOL_SOCKET && first->cmsg_type == SCM_RIGHTS)
    meet_any_descriptors();
}

int met(int fd) {
  if (is_at_work() && fd >= 0) meet_descriptor(fd);
  return fd;
}

int control(decltype(&::fcntl) function, int fd, int command, void* argument) {
  const int result = function != nullptr
                         ? function(fd, command, argument)
                         : static_cast<int>(with_errno(raw_syscall(SYS_fcntl, fd, command, word(argument))));
  return command == F_DUPFD || command == F_DUPFD_CLOEXEC ? met(result) : result;
}

}  // namespace

NETNICE_HOOK ssize_t write(int fd, const void* data, size_t size) {
  const auto call = [&] { return make(next.write, SYS_write, fd, data, size); };
  return may_be_held(fd) ? sent(fd, size, {}, call) : call();
}

NETNICE_HOOK ssize_t writev(int fd, const iovec* pieces, int count) {
  const auto call = [&] { return make(next.writev, SYS_writev, fd, pieces, count); };
  if (!may_be_held(fd) || count < 0) return call();
  return sent(fd, bytes_of(pieces, static_cast<std::size_t>(count)), {}, call);
}

NETNICE_HOOK ssize_t send(int fd, const void* data, size_t size, int flags) {
  const auto call = [&] {
    if (next.send != nullptr) return next.send(fd, data, size, flags);
    return static_cast<ssize_t>(
        with_errno(raw_syscall(SYS_sendto, fd, word(data), static_cast<long>(size), flags, 0, 0)));
  };
  return may_be_held(fd) ? sent(fd, size, {}, call) : call();
}

NETNICE_HOOK ssize_t sendto(int fd, const void* data, size_t size, int flags, const sockaddr* to,
                            socklen_t to_length) {
  const auto call = [&] { return make(next.sendto, SYS_sendto, fd, data, size, flags, to, to_length); };
  return may_be_held(fd) ? sent(fd, size, {to, to_length}, call) : call();
}

NETNICE_HOOK ssize_t sendmsg(int fd, const msghdr* message, int flags) {
  const auto call = [&] { return make(next.sendmsg, SYS_sendmsg, fd, message, flags); };
  if (!may_be_held(fd) || message == nullptr) return call();
  return sent(fd, bytes_of(message->msg_iov, message->msg_iovlen), {message->msg_name, message->msg_namelen},
              call);
}

NETNICE_HOOK int sendmmsg(int fd, mmsghdr* messages, unsigned count, int flags) {
  const auto call = [&] { return make(next.sendmmsg, SYS_sendmmsg, fd, messages, count, flags); };
  if (!may_be_held(fd) || messages == nullptr || count == 0) return call();
  const msghdr& first = messages[0].msg_hdr;
  const SendPermit permit = before_send(fd, bytes_of(messages, count), {first.msg_name, first.msg_namelen});
  const int result = call();
  after_send(permit, moved_bytes(messages, result));
  return result;
}

NETNICE_HOOK ssize_t read(int fd, void* data, size_t size) {
  const auto call = [&] { return make(next.read, SYS_read, fd, data, size); };
  return may_be_held(fd) ? received(fd, 0, call, unknown) : call();
}

NETNICE_HOOK ssize_t __read_chk(int fd, void* data, size_t size, size_t room) {
  if (next.read_chk == nullptr) return read(fd, data, size < room ? size : room);
  const auto call = [&] { return next.read_chk(fd, data, size, room); };
  return may_be_held(fd) ? received(fd, 0, call, unknown) : call();
}

NETNICE_HOOK ssize_t readv(int fd, const iovec* pieces, int count) {
  const auto call = [&] { return make(next.readv, SYS_readv, fd, pieces, count); };
  return may_be_held(fd) ? received(fd, 0, call, unknown) : call();
}

NETNICE_HOOK ssize_t recvfrom(int fd, void* data, size_t size, int flags, sockaddr* from,
                              socklen_t* from_length) {
  const auto call = [&] {
    return make(next.recvfrom, SYS_recvfrom, fd, data, size, flags, from, from_length);
  };
  if (!may_be_held(fd)) return call();
  return received(fd, flags, call, [&]() -> Peer {
    return from == nullptr || from_length == nullptr ? Peer{} : Peer{from, *from_length};
  });
}

NETNICE_HOOK ssize_t __recvfrom_chk(int fd, void* data, size_t size, size_t room, int flags, sockaddr* from,
                                    socklen_t* from_length) {
  if (next.recvfrom_chk == nullptr)
    return recvfrom(fd, data, size < room ? size : room, flags, from, from_length);
  const auto call = [&] { return next.recvfrom_chk(fd, data, size, room, flags, from, from_length); };
  if (!may_be_held(fd)) return call();
  return received(fd, flags, call, [&]() -> Peer {
    return from == nullptr || from_length == nullptr ? Peer{} : Peer{from, *from_length};
  });
}

NETNICE_HOOK ssize_t recv(int fd, void* data, size_t size, int flags) {
  const auto call = [&] {
    if (next.recv != nullptr) return next.recv(fd, data, size, flags);
    return static_cast<ssize_t>(
        with_errno(raw_syscall(SYS_recvfrom, fd, word(data), static_cast<long>(size), flags, 0, 0)));
  };
  return may_be_held(fd) ? received(fd, flags, call, unknown) : call();
}

NETNICE_HOOK ssize_t __recv_chk(int fd, void* data, size_t size, size_t room, int flags) {
  if (next.recv_chk == nullptr) return recv(fd, data, size < room ? size : room, flags);
  const auto call = [&] { return next.recv_chk(fd, data, size, room, flags); };
  return may_be_held(fd) ? received(fd, flags, call, unknown) : call();
}

NETNICE_HOOK ssize_t recvmsg(int fd, msghdr* message, int flags) {
  const auto call = [&] { return make(next.recvmsg, SYS_recvmsg, fd, message, flags); };
  if (may_be_held(fd) && message != nullptr)
    return received(fd, flags, call, [&]() -> Peer { return {message->msg_name, message->msg_namelen}; });
  const ssize_t result = call();
  if (result >= 0 && is_at_work()) look_for_descriptors(message);
  return result;
}

NETNICE_HOOK int recvmmsg(int fd, mmsghdr* messages, unsigned count, int flags, timespec* timeout) {
  const auto call = [&] { return make(next.recvmmsg, SYS_recvmmsg, fd, messages, count, flags, timeout); };
  if (!may_be_held(fd)) {
    const int result = call();
    for (int i = 0; is_at_work() && i < result; ++i) look_for_descriptors(&messages[i].msg_hdr);
    return result;
  }
  Lane* const lane = before_receive(fd, flags);
  const int result = call();
  if (result > 0)
    after_receive(lane, moved_bytes(messages, result),
                  {messages[0].msg_hdr.msg_name, messages[0].msg_hdr.msg_namelen});
  return result;
}

NETNICE_HOOK int socket(int domain, int type, int protocol) noexcept {
  return met(make(next.socket, SYS_socket, domain, type, protocol));
}

NETNICE_HOOK int dup(int fd) noexcept {
  return met(make(next.dup, SYS_dup, fd));
}

NETNICE_HOOK int dup2(int fd, int new_fd) noexcept {
  // Not every machine has the system call of this name.
  if (next.dup2 == nullptr && fd == new_fd)
    return with_errno(raw_syscall(SYS_fcntl, fd, F_GETFD)) < 0 ? -1 : fd;
  return met(next.dup2 != nullptr ? next.dup2(fd, new_fd)
                                  : static_cast<int>(with_errno(raw_syscall(SYS_dup3, fd, new_fd, 0))));
}

NETNICE_HOOK int dup3(int fd, int new_fd, int flags) noexcept {
  return met(make(next.dup3, SYS_dup3, fd, new_fd, flags));
}

NETNICE_HOOK int fcntl(int fd, int command, ...) {
  va_list arguments;
  va_start(arguments, command);
  void* argument = va_arg(arguments, void*);
  va_end(arguments);
  return control(next.fcntl, fd, command, argument);
}

NETNICE_HOOK int fcntl64(int fd, int command, ...) {
  va_list arguments;
  va_start(arguments, command);
  void* argument = va_arg(arguments, void*);
  va_end(arguments);
  return control(next.fcntl64 != nullptr ? next.fcntl64 : next.fcntl, fd, command, argument);
}
