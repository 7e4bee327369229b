// SPDX-License-Identifier: MIT
// holds: which sockets are held, and how they were before: in memory that the guard shares, so that it can put all back when we are killed.
//
// One process writes, the guard reads when that one is gone. An entry is written before its socket is touched.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <sys/types.h>

#include "tools/netnice/engine/process_sockets.hpp"
#include "tools/netnice/socket/tcp_socket.hpp"

namespace netnice {

struct Hold {
  std::uint64_t inode = 0;  // 0: free
  pid_t pid = 0;
  int fd = -1;
  SocketLimits before;
  std::uint64_t pacing_bytes_per_s = 0;  // as we have set it
  bool is_sending_held = false;
  bool is_receiving_held = false;
  bool is_out_of_reach = false;  // its process protects itself
  std::uint64_t lost_ns = 0;     // since when nobody is known to have it; 0: somebody is
};

class Holds {
 public:
  Holds();
  ~Holds();
  Holds(const Holds&) = delete;
  Holds& operator=(const Holds&) = delete;
  [[nodiscard]] bool is_there() const { return shared_ != nullptr; }

  /// Null when there are too many.
  Hold* add(std::uint64_t inode, pid_t pid, int fd, const SocketLimits& before);
  /// One that is held already, by whichever process; null if none is.
  Hold* find(std::uint64_t inode);
  /// The process has closed it, or it has left it to another one, in which it is found soon.
  static void lose(Hold& hold, std::uint64_t now_ns) { hold.lost_ns = now_ns; }
  /// Those that nobody was found to have for some time.
  void forget_lost(std::uint64_t now_ns);
  /// Of whoever is held still. What a process has left to another is looked for in `heirs`.
  /// Returns of how many that could not be done, because their process may not be reached any more.
  std::size_t put_all_back(const std::vector<pid_t>& heirs);
  /// The same, for the last time: the guard need do nothing any more, however the process ends.
  std::size_t finish(const std::vector<pid_t>& heirs);
  [[nodiscard]] bool is_finished() const;

 private:
  static void put_back_if_it_is(const FoundSocket& socket, Hold& hold);
  static constexpr std::size_t kMost = 16384;
  struct Shared {
    bool is_finished = false;
    std::size_t used = 0;  // entries from here on were never used
    Hold holds[kMost];
  };
  Shared* shared_ = nullptr;
  Hold* holds_ = nullptr;  // of these
  std::size_t next_ = 0;
};

/// Through a descriptor of its socket. What the program itself has set meanwhile stays.
void put_back(int fd, Hold& hold);

}  // namespace netnice
