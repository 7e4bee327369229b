// SPDX-License-Identifier: MIT
// net_holder: limits the network traffic of a job beside its disk traffic. It runs netnice's engine in a thread of the launcher.
//
// The thread follows the job's grant, which `discnice set` and the schedule change. It writes its counts into the segment. A process above the
// launcher restores all connections when the launcher is killed. A job whose network is not limited has neither the thread nor the process.
#pragma once

#include <cstdint>
#include <thread>

#include "toolbox/base/fd.hpp"
#include "tools/discnice/contract/grant.hpp"
#include "tools/discnice/policy/schedule.hpp"
#include "tools/discnice/protocol/layout.hpp"
#include "tools/netnice/engine/engine.hpp"
#include "tools/netnice/engine/holds.hpp"
#include "tools/netnice/engine/tree.hpp"

namespace discnice::cli {

/// Whether the grant, or any entry of the schedule, limits the network.
bool is_net_asked(const Grant& grant, const policy::Schedule& schedule);

/// Returns 0. When the sockets of other processes cannot be reached here, prints an error and returns the exit status.
int check_net();

/// Whether the programs are started with the library that holds what goes by UDP. Programs that run already cannot be given it.
enum class Udp : std::uint8_t { held, left };

class NetHolder {
 public:
  /// Forks (netnice/engine/guard.hpp). The new process goes on as the launcher. The old process waits for the new one and ends as the new one ends.
  /// Must be called before there are threads.
  NetHolder(protocol::Segment& segment, Udp udp);
  /// Restores all connections.
  ~NetHolder();
  NetHolder(const NetHolder&) = delete;
  NetHolder& operator=(const NetHolder&) = delete;

  /// Returns 0. On an error, prints the error and returns the exit status.
  [[nodiscard]] int status() const { return status_; }

  /// What holds UDP in the programs; it may be missing.
  [[nodiscard]] const netnice::UdpGate& gate() { return holds_.gate(); }

  /// Starts to hold the connections of these processes.
  void begin(netnice::Followed followed);
  /// Restores all connections. The counts in the segment are final afterwards.
  void end();

 private:
  void work();
  void hold(netnice::Engine& engine);
  void tell(const netnice::Engine& engine);
  [[nodiscard]] bool rest(std::uint64_t time_ns);

  protocol::Segment& segment_;
  netnice::Holds holds_;
  int status_ = 0;
  gray::base::ScopedFd guard_;
  gray::base::ScopedFd ending_;
  netnice::Followed followed_;
  std::thread thread_;
};

}  // namespace discnice::cli
