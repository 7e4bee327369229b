// SPDX-License-Identifier: MIT
// tcp_socket: reads the state of a TCP connection and limits the connection, through a descriptor of its socket.
//
// Knowledge assumed: sending is limited by the socket's highest pacing rate (socket(7), SO_MAX_PACING_RATE). Receiving is limited by the window that the socket offers.
//   The window follows TCP_WINDOW_CLAMP only while the size of the receive buffer is locked. Otherwise the kernel changes both by itself
//   (tcp_rcv_space_adjust()).
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace netnice {

enum class SocketKind {
  other,    // netnice never holds it
  unused,   // UDP that has no port yet, or multipath TCP that is not connected
  udp,      // IPv4 or IPv6, that leaves the host
  mptcp,    // multipath TCP: its connections are the kernel's own, and no process has a descriptor of them
  pending,  // TCP that is not connected yet
  local,    // TCP that never leaves this host
  far       // TCP to another host
};

using Address = std::array<std::uint8_t, 16>;  // an IPv4 address is stored as an IPv4-mapped IPv6 address

SocketKind kind_of(int fd, Address& peer);
std::string text_of(const Address& address);

struct TcpReading {
  bool is_open = false;
  std::uint32_t round_trip_us = 0;          // measured by sent bytes
  std::uint32_t least_round_trip_us = 0;    // includes the handshake's
  std::uint32_t receive_round_trip_us = 0;  // measured by received bytes
  std::uint32_t window_bytes = 0;           // congestion window of the sender
  std::uint32_t segment_bytes = 0;
  std::uint32_t unsent_bytes = 0;
  std::uint32_t sent_again = 0;   // segments
  std::uint32_t segments_in = 0;  // received segments, acknowledgements included
  std::uint64_t acked_bytes = 0;
  std::uint64_t received_bytes = 0;
};

/// 0, or a negative errno.
int read_tcp(int fd, TcpReading& reading);

/// The settings of a socket before it was held.
struct SocketLimits {
  std::uint64_t pacing_bytes_per_s = ~std::uint64_t{0};
  int buffer_bytes = 0;
  int clamp_bytes = 0;
  int buffer_locks = 0;
};

SocketLimits read_limits(int fd);
std::uint64_t read_pace(int fd);
void hold_sending(int fd, std::uint64_t bytes_per_s);
/// False if this process cannot make the receive buffer large enough for the window. Then the kernel enlarges the buffer and with it the window, and the limit
/// must be set again each time.
bool hold_receiving(int fd, double window_bytes, const SocketLimits& before);
void let_send(int fd, const SocketLimits& before);
void let_receive(int fd, const SocketLimits& before);

/// The inode number of the socket behind a descriptor; 0 if the descriptor is not a socket.
std::uint64_t inode_of(int fd);

}  // namespace netnice
