// SPDX-License-Identifier: MIT
// holder: watches this host and a job, and holds the job to the limit of its allowance. It connects the other parts of memnice and
// makes no decisions.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <vector>

#include "libgray/src/memory/pools.hpp"
#include "tools/memnice/allowance.hpp"
#include "tools/memnice/demand.hpp"
#include "tools/memnice/means.hpp"
#include "tools/memnice/options.hpp"

namespace memnice {

/// The history of the run so far.
struct Course {
  std::uint64_t most_bytes = 0;            ///< the job's largest size
  std::uint64_t needs_bytes = 0;           ///< the job's last known working set; 0: the job ended too early
  std::uint64_t held_ns = 0;               ///< how long the job was squeezed
  std::uint64_t least_bytes = kUnlimited;  ///< the lowest limit
  std::uint64_t paused_ns = 0;
  std::uint64_t pauses = 0;
};

class Holder {
 public:
  Holder(const Options& options, Means& means, pid_t root);

  /// Call step() again and again. It returns the time until the next call.
  std::uint64_t step(std::uint64_t now_ns);
  /// Removes the limit and ends a pause, permanently.
  void let_go();

  [[nodiscard]] const Course& course() const { return course_; }

 private:
  [[nodiscard]] std::vector<pid_t> processes() const;
  [[nodiscard]] gray::memory::Pool tightest_pool() const;
  bool others_wait(std::uint64_t now_ns, std::uint64_t job_bytes, const gray::memory::Pool& tightest);
  void say_trouble();
  std::uint64_t next_step_ns(const Situation& situation);
  void obey(const Decision& decision, const std::vector<pid_t>& pids);
  void note(const Situation& situation, const Decision& decision);
  void say(const Situation& situation, const Decision& decision);

  const Options& options_;
  Means& means_;
  pid_t root_;
  gray::memory::HostAccounts accounts_;
  Allowance allowance_;
  Demand demand_;
  Decision decision_;
  Course course_;
  std::vector<pid_t> stopped_;  // processes stopped by a signal from memnice
  std::uint64_t stall_us_ = 0;  // time in which other programs waited, up to the last step
  std::uint64_t stepped_at_ns_ = 0;
  std::uint64_t job_bytes_ = 0;    // the job's size at the last step
  double growth_bytes_per_s_ = 0;  // how fast the job may grow, estimated from its recent growth
  std::uint64_t said_bytes_ = 0;   // the last limit that was printed
  bool is_let_go_ = false;
  bool is_trouble_said_ = false;
};

}  // namespace memnice
