// SPDX-License-Identifier: MIT
// held_call: what happens around a call that may move bytes by UDP: is it one, when may it go, what did it move.
//
// A call waits for its turn before it is made, on a socket that does not block, too: its turn is about as far away as its last bytes cost. To fail with EAGAIN instead would have the
// program spin, because poll() calls the socket writable, or stand still for good where it waits for the edge of epoll(7). What does not leave the host passes, and so do questions to
// a name server. Safe inside the program that loads the library: raw system calls only, errno stays as it is.
#pragma once

#include <cstddef>
#include <cstdint>

#include <sys/socket.h>

#include "tools/netnice/gate/lane.hpp"

namespace netnice::gate {

/// Called once, before the program runs. Without a usable page everything passes.
void start(const char* page_name);

/// Whether calls may be held at all now. Everything else is only called when they may.
bool is_at_work();

/// True if the descriptor may be a UDP socket: then the kernel is asked.
bool is_udp(int fd);

/// Other descriptors have come into this process: `fd` has something new, or any number may have.
void meet_descriptor(int fd);
void meet_any_descriptors();

/// An address that the program gives with a call; null: that of the connected peer.
struct Peer {
  const void* address = nullptr;
  std::size_t length = 0;
};

struct SendPermit {
  Lane* lane = nullptr;  // null: the call is none of ours
  Turn turn;
  std::uint64_t bytes = 0;
};

/// Waits until the bytes may be sent.
SendPermit before_send(int fd, std::uint64_t bytes, Peer peer);
void after_send(const SendPermit& permit, std::uint64_t sent_bytes);

/// Waits until what was received before is paid for: what comes meanwhile stays in the socket's buffer. Null: the call is none of ours.
Lane* before_receive(int fd, int flags);
void after_receive(Lane* lane, std::uint64_t received_bytes, Peer peer);

}  // namespace netnice::gate
