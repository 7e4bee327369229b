// SPDX-License-Identifier: MIT
// holder: watches this host and a job, and limits the job to its allowance. It joins the other parts, and decides nothing itself.
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

/// What has happened so far.
struct Course {
  std::uint64_t most_bytes = 0;            ///< that the job had
  std::uint64_t needs_bytes = 0;           ///< what it was last seen to work with; 0: it ended too early
  std::uint64_t held_ns = 0;               ///< so long it was squeezed
  std::uint64_t least_bytes = kUnlimited;  ///< the lowest limit
  std::uint64_t paused_ns = 0;
  std::uint64_t pauses = 0;
};

class Holder {
 public:
  Holder(const Options& options, Means& means, pid_t root);

  /// To be called again and again. Each call returns the time until the next one.
  std::uint64_t step(std::uint64_t now_ns);
  /// Lets the job go on without limits, for good.
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
  std::vector<pid_t> stopped_;  // by a signal of ours
  std::uint64_t stall_us_ = 0;  // of others, till the last step
  std::uint64_t stepped_at_ns_ = 0;
  std::uint64_t job_bytes_ = 0;    // at the last step
  double growth_bytes_per_s_ = 0;  // how fast it may grow, by what it did lately
  std::uint64_t said_bytes_ = 0;   // the last limit that was told
  bool is_let_go_ = false;
  bool is_trouble_said_ = false;
};

}  // namespace memnice
