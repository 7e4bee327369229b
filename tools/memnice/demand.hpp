// SPDX-License-Identifier: MIT
// demand: learns again and again how much memory a running job works with: W(tau) of all its processes (gray/working_set.h).
//
// This is also done while memory is short. Clearing the marks of use makes the kernel take the job's pages first, and this is wanted here.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include <gray/working_set.h>

namespace memnice {

/// The demand of one job. One thread.
class Demand {
 public:
  /// To be called several times a second with the present processes. Looks at them when it is time.
  void step(const std::vector<pid_t>& pids, std::uint64_t now_ns);

  /// To be called when the values since the last clearing are not the job's demand. It begins anew at the next step.
  void drop_window() { began_at_ns_ = next_at_ns_ = 0; }

  /// How much memory the job works with; 0: not known yet.
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
