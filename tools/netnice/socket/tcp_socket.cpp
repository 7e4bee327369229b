// SPDX-License-Identifier: MIT
#include "tools/netnice/socket/tcp_socket.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <limits>

#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "toolbox/base/fd.hpp"

namespace netnice {
namespace {

// These numbers are newer than the oldest headers that netnice is built with.
constexpr int kBufferLocks = 72;  // SO_BUF_LOCK, Linux 5.15
constexpr int kMultipath = 262;   // IPPROTO_MPTCP, Linux 5.6
constexpr int kReceiveLock = 2;   // SOCK_RCVBUF_LOCK
constexpr int kStateEstablished = 1;
constexpr int kStateListening = 10;
constexpr int kStateClosing = 8;  // CLOSE_WAIT, in which a program may still send

// A receive buffer of this many bytes, as the kernel counts them, offers at least one byte of window. The rest holds the kernel's data about the packets.
constexpr double kBufferPerWindow = 4;

// A larger window means no limit. The bound also keeps the buffer size within an int.
constexpr double kWindowMost = 512.0 * 1024 * 1024;

template <typename T>
bool get(int fd, int level, int option, T& value) {
  socklen_t length = sizeof value;
  return getsockopt(fd, level, option, &value, &length) == 0;
}

template <typename T>
bool set(int fd, int level, int option, const T& value) {
  return setsockopt(fd, level, option, &value, sizeof value) == 0;
}

// The port is at the same offset in IPv4 and IPv6 addresses.
int port_of(const sockaddr_storage& storage) {
  return ntohs(reinterpret_cast<const sockaddr_in&>(storage).sin_port);
}

bool address_of(const sockaddr_storage& storage, Address& address) {
  if (storage.ss_family == AF_INET6) {
    std::memcpy(address.data(), &reinterpret_cast<const sockaddr_in6&>(storage).sin6_addr, address.size());
    return true;
  }
  if (storage.ss_family != AF_INET) return false;
  constexpr std::size_t kPrefix = 12;
  address.fill(0);
  address[kPrefix - 2] = address[kPrefix - 1] = 0xff;
  std::memcpy(&address[kPrefix], &reinterpret_cast<const sockaddr_in&>(storage).sin_addr, sizeof(in_addr));
  return true;
}

bool is_loopback(const Address& address) {
  in6_addr as_v6{};
  std::memcpy(&as_v6, address.data(), address.size());
  constexpr std::size_t kFirstOfV4 = 12;
  constexpr std::uint8_t kLoopbackNet = 127;
  return IN6_IS_ADDR_LOOPBACK(&as_v6) ||
         (IN6_IS_ADDR_V4MAPPED(&as_v6) && address[kFirstOfV4] == kLoopbackNet);
}

using Ask = int (*)(int, sockaddr*, socklen_t*);

bool ask_address(int fd, Ask ask, Address& address, int* port = nullptr) {
  sockaddr_storage storage{};
  socklen_t length = sizeof storage;
  if (ask(fd, reinterpret_cast<sockaddr*>(&storage), &length) != 0) return false;
  if (port != nullptr) *port = port_of(storage);
  return address_of(storage, address);
}

// Whether traffic may leave the host by this UDP socket. A question to a name server is ignored.
SocketKind kind_of_udp(int fd, Address& peer) {
  constexpr int kNameService = 53;
  int port = 0;
  if (!ask_address(fd, getpeername, peer, &port)) {
    if (!ask_address(fd, getsockname, peer, &port)) return SocketKind::other;
    if (port == 0) return SocketKind::unused;
  } else if (port == kNameService) {
    return SocketKind::other;
  }
  return is_loopback(peer) ? SocketKind::other : SocketKind::udp;
}

bool is_buffer_enough(int fd, double window_bytes) {
  int buffer_bytes = 0;
  return get(fd, SOL_SOCKET, SO_RCVBUF, buffer_bytes) && buffer_bytes >= window_bytes * kBufferPerWindow;
}

// The largest SO_RCVBUF that an ordinary user may set. The kernel doubles the value.
int buffer_told_most() {
  constexpr int kUntold = 212992;  // the kernel's default, where a namespace does not show it
  static const int most = [] {
    char text[32] = "";
    const auto file = gray::base::ScopedFd::open("/proc/sys/net/core/rmem_max", O_RDONLY);
    if (!file.is_open() || read(file.get(), text, sizeof text - 1) <= 0) return kUntold;
    return std::max(std::atoi(text), 1);
  }();
  return most;
}

// Never makes the buffer smaller than the kernel has made it: an ordinary user could not restore the old size.
bool enlarge_buffer(int fd, double window_bytes) {
  constexpr double kToSpare = 1.25;
  if (is_buffer_enough(fd, window_bytes)) return true;
  const int told_bytes = static_cast<int>(window_bytes * kBufferPerWindow / 2 * kToSpare);
  if (set(fd, SOL_SOCKET, SO_RCVBUFFORCE, told_bytes)) return true;
  int now_bytes = 0;
  get(fd, SOL_SOCKET, SO_RCVBUF, now_bytes);
  const int allowed_bytes = std::min(told_bytes, buffer_told_most());
  if (allowed_bytes > now_bytes / 2) set(fd, SOL_SOCKET, SO_RCVBUF, allowed_bytes);
  return is_buffer_enough(fd, window_bytes);
}

}  // namespace

SocketKind kind_of(int fd, Address& peer) {
  int protocol = 0;
  int domain = 0;
  if (!get(fd, SOL_SOCKET, SO_DOMAIN, domain) || (domain != AF_INET && domain != AF_INET6))
    return SocketKind::other;
  if (!get(fd, SOL_SOCKET, SO_PROTOCOL, protocol)) return SocketKind::other;
  Address own{};
  if (protocol == IPPROTO_UDP) return kind_of_udp(fd, peer);
  if (protocol == kMultipath && ask_address(fd, getpeername, peer))
    return is_loopback(peer) ? SocketKind::other : SocketKind::mptcp;
  if (protocol == kMultipath) return SocketKind::unused;
  if (protocol != IPPROTO_TCP) return SocketKind::other;
  tcp_info info{};
  if (!get(fd, IPPROTO_TCP, TCP_INFO, info)) return SocketKind::other;
  if (info.tcpi_state == kStateListening) return SocketKind::other;
  if (info.tcpi_state != kStateEstablished || !ask_address(fd, getpeername, peer)) return SocketKind::pending;
  if (is_loopback(peer) || (ask_address(fd, getsockname, own) && own == peer)) return SocketKind::local;
  return SocketKind::far;
}

std::string text_of(const Address& address) {
  char text[INET6_ADDRSTRLEN] = "";
  in6_addr as_v6{};
  std::memcpy(&as_v6, address.data(), address.size());
  constexpr std::size_t kFirstOfV4 = 12;
  if (IN6_IS_ADDR_V4MAPPED(&as_v6))
    inet_ntop(AF_INET, &address[kFirstOfV4], text, sizeof text);
  else
    inet_ntop(AF_INET6, address.data(), text, sizeof text);
  return text;
}

int read_tcp(int fd, TcpReading& reading) {
  tcp_info info{};
  if (!get(fd, IPPROTO_TCP, TCP_INFO, info)) return -errno;
  reading.is_open = info.tcpi_state == kStateEstablished || info.tcpi_state == kStateClosing ||
                    (info.tcpi_state > kStateEstablished && info.tcpi_state < kStateClosing);
  reading.round_trip_us = info.tcpi_rtt;
  reading.least_round_trip_us = info.tcpi_min_rtt == ~0U ? 0 : info.tcpi_min_rtt;
  reading.receive_round_trip_us = info.tcpi_rcv_rtt;
  reading.window_bytes = info.tcpi_snd_cwnd * info.tcpi_snd_mss;
  reading.segment_bytes = info.tcpi_snd_mss;
  reading.unsent_bytes = info.tcpi_notsent_bytes;
  reading.sent_again = info.tcpi_total_retrans;
  reading.segments_in = info.tcpi_segs_in;
  reading.acked_bytes = info.tcpi_bytes_acked;
  reading.received_bytes = info.tcpi_bytes_received;
  return 0;
}

std::uint64_t read_pace(int fd) {
  std::uint64_t bytes_per_s = ~std::uint64_t{0};
  get(fd, SOL_SOCKET, SO_MAX_PACING_RATE, bytes_per_s);
  return bytes_per_s;
}

SocketLimits read_limits(int fd) {
  SocketLimits limits;
  limits.pacing_bytes_per_s = read_pace(fd);
  get(fd, SOL_SOCKET, SO_RCVBUF, limits.buffer_bytes);
  get(fd, IPPROTO_TCP, TCP_WINDOW_CLAMP, limits.clamp_bytes);
  get(fd, SOL_SOCKET, kBufferLocks, limits.buffer_locks);
  return limits;
}

void hold_sending(int fd, std::uint64_t bytes_per_s) {
  set(fd, SOL_SOCKET, SO_MAX_PACING_RATE, bytes_per_s);
}

bool hold_receiving(int fd, double window_bytes, const SocketLimits& before) {
  window_bytes = std::min(window_bytes, kWindowMost);
  if ((before.buffer_locks & kReceiveLock) != 0) {  // the program has chosen its size
    const int clamp_bytes = before.clamp_bytes > 0 ? before.clamp_bytes : std::numeric_limits<int>::max();
    set(fd, IPPROTO_TCP, TCP_WINDOW_CLAMP, std::min(static_cast<int>(window_bytes), clamp_bytes));
    return true;
  }
  set(fd, SOL_SOCKET, kBufferLocks, before.buffer_locks | kReceiveLock);
  const bool is_enough = enlarge_buffer(fd, window_bytes);
  set(fd, IPPROTO_TCP, TCP_WINDOW_CLAMP, static_cast<int>(window_bytes));
  // When this process may not enlarge the buffer, the kernel enlarges it, as it would without netnice.
  if (!is_enough) set(fd, SOL_SOCKET, kBufferLocks, before.buffer_locks);
  return is_enough;
}

void let_send(int fd, const SocketLimits& before) {
  set(fd, SOL_SOCKET, SO_MAX_PACING_RATE, before.pacing_bytes_per_s);
}

void let_receive(int fd, const SocketLimits& before) {
  if ((before.buffer_locks & kReceiveLock) != 0) {
    set(fd, SOL_SOCKET, SO_RCVBUF, before.buffer_bytes / 2);
    set(fd, IPPROTO_TCP, TCP_WINDOW_CLAMP, before.clamp_bytes);
  } else {
    // The kernel opens the window again as far as the size of the buffer allows. The kernel alone would not lift the clamp of a buffer whose
    // size is locked.
    int buffer_bytes = 0;
    get(fd, SOL_SOCKET, SO_RCVBUF, buffer_bytes);
    set(fd, IPPROTO_TCP, TCP_WINDOW_CLAMP, std::max(buffer_bytes, before.clamp_bytes));
  }
  set(fd, SOL_SOCKET, kBufferLocks, before.buffer_locks);
}

std::uint64_t inode_of(int fd) {
  struct stat status {};
  return fstat(fd, &status) == 0 && S_ISSOCK(status.st_mode) ? status.st_ino : 0;
}

}  // namespace netnice
