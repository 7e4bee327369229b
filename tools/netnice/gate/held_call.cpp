// SPDX-License-Identifier: MIT
#include "tools/netnice/gate/held_call.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>

#include <netinet/in.h>
#include <sys/syscall.h>

#include "toolbox/base/clock.hpp"
#include "toolbox/base/raw_sys.hpp"
#include "tools/netnice/gate/other_descriptors.hpp"
#include "tools/netnice/gate/page.hpp"

namespace netnice::gate {
namespace {

using gray::base::is_raw_error;
using gray::base::monotonic_ns;
using gray::base::raw_syscall;
using gray::base::word;

constexpr std::uint64_t kNsPerS = 1'000'000'000;
// A waiting call looks so often whether netnice still lives.
constexpr std::uint64_t kSliceNs = 20'000'000;
constexpr int kNameService = 53;

Page* page = nullptr;  // written before the program runs
OtherDescriptors others;

void sleep_until(std::uint64_t at_ns) {
  const timespec time{static_cast<time_t>(at_ns / kNsPerS), static_cast<long>(at_ns % kNsPerS)};
  raw_syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, TIMER_ABSTIME, word(&time), 0);
}

// A signal's handler runs during the wait, and the wait goes on.
void wait_until(Lane& lane, std::uint64_t at_ns) {
  std::uint64_t now_ns = monotonic_ns();
  at_ns = std::min(at_ns, now_ns + kWaitMostNs);
  if (now_ns < at_ns) lane.wanted_ns.store(now_ns, std::memory_order_relaxed);
  while (now_ns < at_ns && is_held(*page, lane, now_ns)) {
    sleep_until(std::min(at_ns, now_ns + kSliceNs));
    now_ns = monotonic_ns();
  }
}

// Judges an address that is within `length` bytes. One that is none passes, for the kernel to refuse.
bool is_far(const void* address, std::size_t length) {
  constexpr std::uint32_t kLoopbackNet = 127;
  constexpr unsigned kHostBits = 24;
  sockaddr_in6 v6{};
  std::memcpy(&v6, address, std::min(length, sizeof v6));
  if (length >= sizeof(sockaddr_in) && v6.sin6_family == AF_INET) {
    sockaddr_in v4{};
    std::memcpy(&v4, address, sizeof v4);
    return ntohl(v4.sin_addr.s_addr) >> kHostBits != kLoopbackNet && ntohs(v4.sin_port) != kNameService;
  }
  if (length < sizeof v6 || v6.sin6_family != AF_INET6) return false;
  const bool is_local = IN6_IS_ADDR_LOOPBACK(&v6.sin6_addr) ||
                        (IN6_IS_ADDR_V4MAPPED(&v6.sin6_addr) && v6.sin6_addr.s6_addr[12] == kLoopbackNet);
  return !is_local && ntohs(v6.sin6_port) != kNameService;
}

bool is_connected_far(int fd, bool if_unconnected) {
  sockaddr_storage address{};
  socklen_t length = sizeof address;
  if (is_raw_error(raw_syscall(SYS_getpeername, fd, word(&address), word(&length)))) return if_unconnected;
  return is_far(&address, length);
}

}  // namespace

void start(const char* page_name) {
  Name name;
  if (page_name == nullptr || !read_name(page_name, &name)) return;
  const auto attached = attach(name);
  if (attached) page = attached.value();
}

bool is_at_work() {
  return page != nullptr;
}

bool is_udp(int fd) {
  if (others.has(fd)) return false;
  const std::uint32_t changes = others.changes();
  int protocol = 0;
  socklen_t length = sizeof protocol;
  const long result =
      raw_syscall(SYS_getsockopt, fd, SOL_SOCKET, SO_PROTOCOL, word(&protocol), word(&length));
  if (result == 0 && protocol == IPPROTO_UDP) return true;
  if (result != -EBADF) others.add(fd, changes);
  return false;
}

void meet_descriptor(int fd) {
  others.forget(fd);
}

void meet_any_descriptors() {
  others.forget_all();
}

SendPermit before_send(int fd, std::uint64_t bytes, Peer peer) {
  SendPermit permit;
  const bool is_ours =
      peer.address != nullptr ? is_far(peer.address, peer.length) : is_connected_far(fd, false);
  if (!is_ours) return permit;
  permit.lane = &page->up;
  permit.bytes = bytes;
  const std::uint64_t now_ns = monotonic_ns();
  if (!is_held(*page, page->up, now_ns)) return permit;
  permit.turn = book(page->up, bytes, now_ns);
  wait_until(page->up, permit.turn.at_ns);
  return permit;
}

void after_send(const SendPermit& permit, std::uint64_t sent_bytes) {
  if (permit.lane != nullptr) settle(*permit.lane, permit.turn, permit.bytes, sent_bytes);
}

Lane* before_receive(int fd, int flags) {
  if ((flags & (MSG_PEEK | MSG_ERRQUEUE)) != 0 || !is_connected_far(fd, true)) return nullptr;
  const std::uint64_t now_ns = monotonic_ns();
  if (is_held(*page, page->down, now_ns)) wait_until(page->down, free_at_ns(page->down, now_ns));
  return &page->down;
}

void after_receive(Lane* lane, std::uint64_t received_bytes, Peer peer) {
  if (lane == nullptr || received_bytes == 0) return;
  if (peer.address != nullptr && peer.length != 0 && !is_far(peer.address, peer.length)) return;
  charge(*lane, received_bytes, monotonic_ns());
}

}  // namespace netnice::gate
