// SPDX-License-Identifier: MIT
// net_holder: holds the TCP connections of a job beside its disk traffic: netnice's engine, in a thread of the launcher.
//
// The thread goes by the job's grant, which `discnice set` and the schedule change, and writes what it sees into the segment. A process above the launcher puts all back
// when that is killed. A job that was not asked to has neither.
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

/// Whether the network is to be held at any time.
bool is_net_asked(const Grant& grant, const policy::Schedule& schedule);

/// The status to end with after saying so, where other processes' sockets cannot be reached here; else 0.
int check_net();

class NetHolder {
 public:
  /// Forks (netnice/engine/guard.hpp): goes on in the new process, while the one that was started waits for it and ends as it does. Before there are threads.
  explicit NetHolder(protocol::Segment& segment);
  /// All is put back.
  ~NetHolder();
  NetHolder(const NetHolder&) = delete;
  NetHolder& operator=(const NetHolder&) = delete;

  /// 0, or the status to end with after saying why.
  [[nodiscard]] int status() const { return status_; }

  /// Holds them from now on.
  void begin(netnice::Followed followed);
  /// Puts all back; what the segment tells is final then.
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
