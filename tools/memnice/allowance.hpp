// SPDX-License-Identifier: MIT
// allowance: decides how much memory a background job may have now, so that other programs have as much as without the job. Pure.
//
// Knowledge assumed: the kernel gives out free memory first. Without free memory it takes the pages that were used least recently: pages of programs whose user
//   is away, and not pages of a busy job.
// Output observed: the free memory in the accounts (gray::memory pools), whether other programs waited for memory, the job's size, and its working set (W(tau),
//   gray/working_set.h).
// Inference drawn: the job's size at which no other program loses a page: its present size plus the free memory. When memory is missing, the job at once gives
//   up the memory outside its working set, and then as much of the rest as is missing. With less than its working set the job would fetch the same pages again
//   and again, and slow all programs. So if other programs still wait then, the job is paused.
// What breaks it: other programs that use their memory so rarely that it looks like free cache; memory that no account shows as
//   free.
#pragma once

#include <cstdint>
#include <limits>

namespace memnice {

inline constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();

struct Wishes {
  double beta = 1.25;             ///< factor of the working set that the job may have
  std::uint64_t least_bytes = 0;  ///< the limit is never below this
  bool can_be_held = true;        ///< else the job can only be paused
};

/// The facts at one instant.
struct Situation {
  std::uint64_t now_ns = 0;
  std::uint64_t job_bytes = 0;    ///< the job's size
  std::uint64_t needs_bytes = 0;  ///< the job's working set; 0: not known yet
  std::int64_t room_bytes = 0;    ///< the room left for all programs, less a margin; INT64_MAX: not known
  bool others_wait = false;       ///< another program waited for memory since the last step
};

struct Decision {
  std::uint64_t limit_bytes = kUnlimited;
  bool is_squeezed = false;  ///< the limit takes memory from the job, or has recently kept it from growing
  bool is_paused = false;
};

/// The allowance of one job. step() is called a few times a second.
class Allowance {
 public:
  explicit Allowance(const Wishes& wishes) : wishes_(wishes) {}
  Decision step(const Situation& situation);

 private:
  [[nodiscard]] std::uint64_t cut(const Situation& situation) const;
  [[nodiscard]] std::uint64_t enough(const Situation& situation) const;
  void give_back(const Situation& situation);
  void judge_pause(const Situation& situation);

  Wishes wishes_;
  Decision decision_;
  std::uint64_t calm_since_ns_ = 0;  // since when there has been room; 0: there is none
  // The time since which other programs have waited although the job has less than its working set; 0: no other program waits.
  std::uint64_t hurts_since_ns_ = 0;
  std::uint64_t paused_at_ns_ = 0;
  std::uint64_t pause_ns_ = 0;  // how long the next pause lasts
};

}  // namespace memnice
