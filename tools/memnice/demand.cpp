// SPDX-License-Identifier: MIT
#include "tools/memnice/demand.hpp"

#include <algorithm>
#include <set>

#include "toolbox/base/clock.hpp"

namespace memnice {
namespace {

constexpr std::uint64_t kNsPerS = 1'000'000'000;
constexpr std::uint64_t kFirstLookNs = kNsPerS / 2;
constexpr std::size_t kLooks = 5;          // readings after a half, 1, 2, 4 and 8 seconds
constexpr std::uint64_t kCostShare = 200;  // readings take at most 1/kCostShare of the time
constexpr std::uint64_t kPauseMinNs = 5 * kNsPerS;

std::uint64_t part_of(std::uint64_t bytes, const gb_working_set_sample& look) {
  if (look.resident_bytes == 0) return 0;
  return static_cast<std::uint64_t>(static_cast<double>(bytes) * static_cast<double>(look.share_bytes) /
                                    static_cast<double>(look.resident_bytes));
}

}  // namespace

void Demand::clear_all(const std::vector<pid_t>& pids) {
  const std::set<pid_t> there(pids.begin(), pids.end());
  for (auto it = watches_.begin(); it != watches_.end();)
    it = there.count(it->first) != 0 ? std::next(it) : watches_.erase(it);
  for (const pid_t pid : pids) {
    auto& watch = watches_[pid];
    // A process that now runs another program gets a new watch.
    if (watch != nullptr && gb_working_set_clear(watch.get()) == 0) continue;
    gb_working_set_t* opened = nullptr;
    gb_working_set_open(pid, &opened);
    watch.reset(opened);
    if (opened == nullptr || gb_working_set_clear(opened) != 0) watches_.erase(pid);
  }
}

// The memory touched by the processes that existed at the clearing. Newer processes are short-lived, or are measured in the next window.
std::uint64_t Demand::touched_bytes() {
  std::uint64_t sum_bytes = 0;
  for (auto& [pid, watch] : watches_) {
    gb_working_set_sample look{};
    look.size = sizeof look;
    if (gb_working_set_look(watch.get(), &look) == 0) sum_bytes += part_of(look.touched_bytes, look);
  }
  return sum_bytes;
}

void Demand::finish() {
  std::size_t knee = 0;
  const bool is_bent = gb_working_set_knee(since_ns_.data(), touched_.data(), since_ns_.size(), &knee) == 0;
  needs_bytes_ = is_bent ? touched_[knee] : touched_.back();
  began_at_ns_ = 0;
}

void Demand::step(const std::vector<pid_t>& pids, std::uint64_t now_ns) {
  if (now_ns < next_at_ns_ || pids.empty()) return;
  const std::uint64_t start_ns = gray::base::monotonic_ns();
  if (began_at_ns_ == 0) {
    clear_all(pids);
    since_ns_.clear();
    touched_.clear();
    cost_ns_ = 0;
    began_at_ns_ = now_ns;
    next_at_ns_ = now_ns + kFirstLookNs;
  } else {
    touched_.push_back(touched_bytes());
    since_ns_.push_back(now_ns - began_at_ns_);
    next_at_ns_ = began_at_ns_ + 2 * since_ns_.back();
  }
  cost_ns_ += gray::base::monotonic_ns() - start_ns;
  if (since_ns_.size() < kLooks) return;
  next_at_ns_ = now_ns + std::max(kPauseMinNs, kCostShare * cost_ns_);
  finish();
}

}  // namespace memnice
