// SPDX-License-Identifier: MIT
// holds: the list of held sockets with their original settings, and the gate that holds what goes by UDP. Both are in memory that the guard shares, so that the guard can put all
// back when the worker is killed.
//
// The worker writes the list. The guard reads it when the worker is gone. An entry is written before its socket is changed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <sys/types.h>

#include "tools/netnice/engine/process_sockets.hpp"
#include "tools/netnice/engine/udp_gate.hpp"
#include "tools/netnice/socket/tcp_socket.hpp"

namespace netnice {

struct Hold {
  std::uint64_t inode = 0;  // 0: free
  pid_t pid = 0;
  int fd = -1;
  SocketLimits before;
  std::uint64_t pacing_bytes_per_s = 0;  // the pacing rate that netnice has set
  bool is_sending_held = false;
  bool is_receiving_held = false;
  bool is_out_of_reach = false;  // the socket's process protects itself
  std::uint64_t lost_ns = 0;  // time since when no process is known to have the socket; 0: a process is known
};

class Holds {
 public:
  Holds();
  ~Holds();
  Holds(const Holds&) = delete;
  Holds& operator=(const Holds&) = delete;
  [[nodiscard]] bool is_there() const { return shared_ != nullptr; }

  /// Holds nothing until it is made.
  UdpGate& gate() { return gate_; }

  /// Null when there are too many.
  Hold* add(std::uint64_t inode, pid_t pid, int fd, const SocketLimits& before);
  /// The entry of a socket that is held already, in any process; null if there is none.
  Hold* find(std::uint64_t inode);
  /// Notes that the process does not have the socket any more. The process has closed the socket, or has left the socket to another process, in which
  /// the next scan finds it.
  static void lose(Hold& hold, std::uint64_t now_ns) { hold.lost_ns = now_ns; }
  /// Forgets the sockets that were found in no process for some time.
  void forget_lost(std::uint64_t now_ns);
  /// Puts back all sockets that are still held, and opens the gate. A socket that its process has left to another one is looked for in `heirs`.
  /// Returns the number of sockets that stay limited because their process may not be reached any more.
  std::size_t put_all_back(const std::vector<pid_t>& heirs);
  /// Does the same for the last time: from then on the guard need not put anything back, however the worker ends.
  std::size_t finish(const std::vector<pid_t>& heirs);
  [[nodiscard]] bool is_finished() const;

 private:
  static void put_back_if_it_is(const FoundSocket& socket, Hold& hold);
  static constexpr std::size_t kMost = 16384;
  struct Shared {
    bool is_finished = false;
    std::size_t used = 0;  // entries from this index on were never used
    Hold holds[kMost];
  };
  Shared* shared_ = nullptr;
  Hold* holds_ = nullptr;  // the entries of `shared_`
  std::size_t next_ = 0;
  UdpGate gate_;
};

/// Puts one socket back, through a descriptor of it. A setting that the program itself has changed meanwhile stays.
void put_back(int fd, Hold& hold);

}  // namespace netnice
