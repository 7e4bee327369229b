// SPDX-License-Identifier: MIT
// demand: what a job works with, learned again and again while it runs: W(tau) of all its processes (gray/working_set.h).
//
// While memory is short as well: to take the marks of use away makes the job's pages the first to go, and that is what is wanted here.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include <gray/working_set.h>

namespace memnice {

/// One job's. One thread.
class Demand {
 public:
  /// To be called some times a second with the processes that there are. Looks when it is time to.
  void step(const std::vector<pid_t>& pids, std::uint64_t now_ns);

  /// What was seen since the last clearing is not what it works with: it begins anew at the next step.
  void drop_window() { began_at_ns_ = next_at_ns_ = 0; }

  /// What the job works with; 0: not known yet.
  [[nodiscard]] std::uint64_t needs_bytes() const { return needs_bytes_; }

 private:
  struct Close {
    void operator()(gb_working_set_t* watch) const { gb_working_set_close(watch); }
  };
  void clear_all(const std::vector<pid_t>& pids);
  std::uint64_t touched_bytes();
  void finish();

  std::map<pid_t, std::unique_ptr<gb_working_set_t, Close>> watches_;
  std::vector<std::uint64_t> since_ns_;
  std::vector<std::uint64_t> touched_;
  std::uint64_t began_at_ns_ = 0;  // the window; 0: none is open
  std::uint64_t next_at_ns_ = 0;
  std::uint64_t cost_ns_ = 0;
  std::uint64_t needs_bytes_ = 0;
};

}  // namespace memnice
