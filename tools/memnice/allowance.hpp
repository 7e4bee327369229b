// SPDX-License-Identifier: MIT
// allowance: computes how much memory a background job may have now, so that others have their memory as if the job did not exist. Pure.
//
// Knowledge assumed: the kernel takes new memory from free memory. If there is none, it takes the pages that were not used for the longest time: those of idle programs, and not
// those of a busy job.
// Output observed: the room that the accounts leave (gray::memory pools), whether others waited for memory, what the job has, what it works with (W(tau), gray/working_set.h).
// Inference drawn: the job's size at which nobody else loses a page: what it has and the room there is. If memory is lacking, the job gives up at once the memory that it does
// not work with, and as much of the rest as others lack. Less than it works with would have it fetch the same pages again and again, to everybody's harm: if others still wait
// then, it stands still.
// What breaks it: programs that use their memory so rarely that it looks like free cache; and free memory that no account shows.
#pragma once

#include <cstdint>
#include <limits>

namespace memnice {

inline constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();

struct Wishes {
  double beta = 1.25;             ///< what it may have beside what it works with, as a factor
  std::uint64_t least_bytes = 0;  ///< never held to less
  bool can_be_held = true;        ///< else it can only stand still
};

/// The facts at one instant.
struct Situation {
  std::uint64_t now_ns = 0;
  std::uint64_t job_bytes = 0;    ///< what the job has
  std::uint64_t needs_bytes = 0;  ///< what it works with; 0: not known yet
  std::int64_t room_bytes = 0;    ///< what is left to everybody, net of a margin; INT64_MAX: nothing tells
  bool others_wait = false;       ///< somebody else waited for memory since the last step
};

struct Decision {
  std::uint64_t limit_bytes = kUnlimited;
  bool is_squeezed = false;  ///< the limit takes something from it, or kept it from growing lately
  bool is_paused = false;
};

/// The allowance of one job. A step is taken several times a second.
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
  std::uint64_t calm_since_ns_ = 0;   // 0: it is not
  std::uint64_t hurts_since_ns_ = 0;  // others wait although the job has less than it works with; 0: not so
  std::uint64_t paused_at_ns_ = 0;
  std::uint64_t pause_ns_ = 0;  // how long the next pause lasts
};

}  // namespace memnice
