// SPDX-License-Identifier: MIT
#include "bench/netsim/interface.hpp"

#include <fmt/core.h>

#include <cerrno>
#include <cstring>

#include <arpa/inet.h>
#include <linux/if_tun.h>
#include <linux/ipv6.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "toolbox/cli/diagnostics.hpp"

namespace netsim {
namespace {

using gray::base::ScopedFd;

constexpr char kTun[] = "/dev/net/tun";
constexpr char kDeviceName[] = "line";
constexpr int kV4PrefixBits = 24;
constexpr unsigned kV6PrefixBits = 64;
// Large, so that the line's queue drops packets and the device's queue does not.
constexpr int kDevicePackets = 10'000;
constexpr useconds_t kStepUs = 1000;
constexpr unsigned kPatienceSteps = 5000;

std::string failed(const char* what) {
  return fmt::format("{}: {}", what, gray::cli::error_text(errno));
}

ifreq named(const char* name) {
  ifreq request{};
  std::strncpy(request.ifr_name, name, IFNAMSIZ - 1);
  return request;
}

bool set_up(int socket_fd, const char* name) {
  ifreq request = named(name);
  if (ioctl(socket_fd, SIOCGIFFLAGS, &request) != 0) return false;
  request.ifr_flags = static_cast<short>(request.ifr_flags | IFF_UP);
  return ioctl(socket_fd, SIOCSIFFLAGS, &request) == 0;
}

sockaddr_in v4_address(const char* text) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  inet_pton(AF_INET, text, &address.sin_addr);
  return address;
}

bool add_v4(int socket_fd, const char* text) {
  ifreq request = named(kDeviceName);
  const sockaddr_in address = v4_address(text);
  std::memcpy(&request.ifr_addr, &address, sizeof address);
  if (ioctl(socket_fd, SIOCSIFADDR, &request) != 0) return false;
  sockaddr_in mask{};
  mask.sin_family = AF_INET;
  mask.sin_addr.s_addr = htonl(~0U << static_cast<unsigned>(32 - kV4PrefixBits));
  std::memcpy(&request.ifr_netmask, &mask, sizeof mask);
  return ioctl(socket_fd, SIOCSIFNETMASK, &request) == 0;
}

// The kernel looks for a duplicate of an address only on a device that can resolve neighbours, and a TUN device cannot. This function still makes sure
// that the address is in use.
bool is_v6_in_use(const sockaddr_in6& address) {
  for (unsigned step = 0; step < kPatienceSteps; ++step) {
    const ScopedFd probe(socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    if (bind(probe.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return true;
    if (errno != EADDRNOTAVAIL) return false;
    usleep(kStepUs);
  }
  return false;
}

bool add_v6(const char* text) {
  const ScopedFd socket_fd(socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!socket_fd.is_open()) return false;
  in6_ifreq request{};
  sockaddr_in6 address{};
  address.sin6_family = AF_INET6;
  inet_pton(AF_INET6, text, &address.sin6_addr);
  request.ifr6_addr = address.sin6_addr;
  request.ifr6_prefixlen = kV6PrefixBits;
  request.ifr6_ifindex = static_cast<int>(if_nametoindex(kDeviceName));
  return ioctl(socket_fd.get(), SIOCSIFADDR, &request) == 0 && is_v6_in_use(address);
}

// The root user of a user namespace may not set the length of the queue. The device's default, a queue of five hundred packets, is long enough as long as netsim
// keeps up with the packets.
void set_packets(int socket_fd) {
  ifreq request = named(kDeviceName);
  request.ifr_qlen = kDevicePackets;
  ioctl(socket_fd, SIOCSIFTXQLEN, &request);
}

}  // namespace

ScopedFd make_interface(const Addresses& addresses, std::string& problem) {
  ScopedFd tun(open(kTun, O_RDWR | O_CLOEXEC | O_NONBLOCK));
  if (!tun.is_open()) {
    problem = failed(kTun);
    return {};
  }
  ifreq request = named(kDeviceName);
  request.ifr_flags = IFF_TUN | IFF_NO_PI;
  const ScopedFd socket_fd(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (ioctl(tun.get(), TUNSETIFF, &request) != 0) {
    problem = failed("a TUN device");
    return {};
  }
  set_packets(socket_fd.get());
  if (!add_v4(socket_fd.get(), addresses.v4) || !set_up(socket_fd.get(), kDeviceName) ||
      !set_up(socket_fd.get(), "lo")) {
    problem = failed("an interface with the address of the line's end");
    return {};
  }
  if (!add_v6(addresses.v6))
    gray::cli::warn("no IPv6 on this line: {}: {}", addresses.v6, gray::cli::error_text(errno));
  return tun;
}

}  // namespace netsim
