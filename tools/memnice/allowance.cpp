// SPDX-License-Identifier: MIT
#include "tools/memnice/allowance.hpp"

#include <algorithm>

namespace memnice {
namespace {

constexpr std::uint64_t kNsPerS = 1'000'000'000;
constexpr std::uint64_t kCalmNs = 5 * kNsPerS;   // how long there must be room before the limit is raised
constexpr std::uint64_t kHurtsNs = 2 * kNsPerS;  // how long other programs wait before the job is paused
constexpr std::uint64_t kPauseFirstNs = 2 * kNsPerS;
constexpr std::uint64_t kPauseLastNs = 60 * kNsPerS;
constexpr std::uint64_t kYield = 8;      // if other programs wait, the job loses 1/kYield
constexpr std::uint64_t kRoomShare = 2;  // the job may take 1/kRoomShare of the room at a time

}  // namespace

// The job's working set times beta; kUnlimited while the working set is not known.
std::uint64_t Allowance::enough(const Situation& situation) const {
  if (situation.needs_bytes == 0) return kUnlimited;
  return static_cast<std::uint64_t>(static_cast<double>(situation.needs_bytes) * wishes_.beta);
}

// The job's size less the missing room. If other programs wait although no memory is missing, the result is somewhat less than the
// job's present size.
std::uint64_t Allowance::cut(const Situation& situation) const {
  const std::uint64_t has_bytes = std::min(situation.job_bytes, decision_.limit_bytes);
  std::uint64_t lacks_bytes =
      situation.room_bytes < 0 ? static_cast<std::uint64_t>(-situation.room_bytes) : 0;
  if (situation.others_wait) lacks_bytes = std::max(lacks_bytes, has_bytes / kYield);
  const std::uint64_t left_bytes = situation.job_bytes - std::min(situation.job_bytes, lacks_bytes);
  return std::max(std::min({left_bytes, enough(situation), decision_.limit_bytes}), wishes_.least_bytes);
}

// Raises the limit. Until the next step the job can take no more than the free memory. After its memory was reduced, the job gets half of the free memory at a
// time, and each time after a wait.
void Allowance::give_back(const Situation& situation) {
  const auto room_bytes = static_cast<std::uint64_t>(situation.room_bytes);
  const bool is_room_known = situation.room_bytes != std::numeric_limits<std::int64_t>::max();
  const std::uint64_t all_bytes =
      is_room_known ? std::max(situation.job_bytes + room_bytes, wishes_.least_bytes) : kUnlimited;
  if (!decision_.is_squeezed || all_bytes <= decision_.limit_bytes) {
    decision_.limit_bytes = all_bytes;
    return;
  }
  if (calm_since_ns_ == 0) calm_since_ns_ = situation.now_ns;
  if (situation.now_ns - calm_since_ns_ < kCalmNs) return;
  calm_since_ns_ = situation.now_ns;
  // A job that does not use all of its limit needs no more memory, so the reduction ends.
  decision_.is_squeezed = decision_.limit_bytes - std::min(decision_.limit_bytes, situation.job_bytes) <
                          decision_.limit_bytes / kYield;
  decision_.limit_bytes = decision_.is_squeezed
                              ? std::max(decision_.limit_bytes, situation.job_bytes + room_bytes / kRoomShare)
                              : all_bytes;
}

void Allowance::judge_pause(const Situation& situation) {
  if (decision_.is_paused) {
    if (situation.now_ns - paused_at_ns_ < pause_ns_) return;
    decision_.is_paused = false;
    pause_ns_ = std::min(2 * pause_ns_, kPauseLastNs);
    hurts_since_ns_ = 0;
    return;
  }
  const bool is_short =
      !wishes_.can_be_held || situation.needs_bytes == 0 || decision_.limit_bytes < situation.needs_bytes;
  if (!situation.others_wait || !is_short) {
    hurts_since_ns_ = 0;
    return;
  }
  if (hurts_since_ns_ == 0) hurts_since_ns_ = situation.now_ns;
  if (wishes_.can_be_held && situation.now_ns - hurts_since_ns_ < kHurtsNs) return;
  decision_.is_paused = true;
  paused_at_ns_ = situation.now_ns;
  pause_ns_ = std::max(pause_ns_, kPauseFirstNs);
}

Decision Allowance::step(const Situation& situation) {
  if (situation.room_bytes < 0 || situation.others_wait) {
    calm_since_ns_ = 0;
    decision_.limit_bytes = cut(situation);
    decision_.is_squeezed = true;
  } else {
    give_back(situation);
    if (!decision_.is_squeezed) pause_ns_ = 0;
  }
  judge_pause(situation);
  return decision_;
}

}  // namespace memnice
