// SPDX-License-Identifier: MIT
#include "microbench/turn.hpp"

#include <sys/socket.h>
#include <sys/un.h>

#include <cerrno>
#include <cstddef>
#include <cstring>

namespace microbench {
namespace {

constexpr char kName[] = "gray-microbench";

}  // namespace

Turn::Turn() : socket_(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
  if (!socket_.is_open()) return;  // without sockets no run is kept out
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path + 1, kName, sizeof kName - 1);  // a zero first makes the name abstract
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + sizeof kName);
  const int status = bind(socket_.get(), reinterpret_cast<const sockaddr*>(&address), length);
  is_ours_ = status == 0 || errno != EADDRINUSE;
}

}  // namespace microbench
