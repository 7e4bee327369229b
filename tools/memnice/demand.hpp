// SPDX-License-Identifier: MIT
// demand: measures a job's working set again and again while the job runs: W(tau) of all its processes (gray/working_set.h).
//
// It also measures while memory is short. Clearing the marks of use makes the kernel evict the job's pages first, which is wanted here.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include <gray/working_set.h>

namespace memnice {

/// The working set of one job. One thread.
class Demand {
 public:
  /// Call step() a few times a second with the job's present processes. It makes a reading when a reading is due.
  void step(const std::vector<pid_t>& pids, std::uint64_t now_ns);

  /// Discards the readings since the last clearing, because they do not show the working set. The next step begins a new window.
  void drop_window() { began_at_ns_ = next_at_ns_ = 0; }

  /// The job's working set; 0: not known yet.
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
  std::uint64_t began_at_ns_ = 0;  // start of the window; 0: no window is open
  std::uint64_t next_at_ns_ = 0;
  std::uint64_t cost_ns_ = 0;
  std::uint64_t needs_bytes_ = 0;
};

}  // namespace memnice
