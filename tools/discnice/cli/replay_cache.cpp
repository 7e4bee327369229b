// SPDX-License-Identifier: MIT
#include "tools/discnice/cli/replay_cache.hpp"

#include <algorithm>
#include <iterator>

namespace discnice::cli {
namespace {

// Limits the memory of a replay. A page that is forgotten counts as absent.
constexpr std::uint64_t kAdditionsMax = UINT64_C(1) << 22U;

}  // namespace

void ReplayCache::cut_out(Intervals& intervals, std::uint64_t first_page, std::uint64_t end_page) {
  auto at = intervals.lower_bound(first_page);
  if (at != intervals.begin()) {
    const auto before = std::prev(at);
    const std::uint64_t before_end = before->second;
    if (before_end > first_page) {
      before->second = first_page;
      if (before_end > end_page) intervals.emplace(end_page, before_end);
    }
  }
  at = intervals.lower_bound(first_page);
  while (at != intervals.end() && at->first < end_page) {
    const std::uint64_t tail_end = at->second;
    at = intervals.erase(at);
    if (tail_end > end_page) {
      intervals.emplace(end_page, tail_end);
      break;
    }
  }
}

void ReplayCache::join(Intervals& intervals, std::uint64_t first_page, std::uint64_t end_page) {
  auto at = intervals.upper_bound(end_page);
  while (at != intervals.begin()) {  // joins all intervals that touch
    const auto before = std::prev(at);
    if (before->second < first_page) break;
    first_page = std::min(first_page, before->first);
    end_page = std::max(end_page, before->second);
    at = intervals.erase(before);
  }
  intervals.emplace(first_page, end_page);
}

void ReplayCache::add(const FileId& file, std::uint64_t first_page, std::uint64_t end_page) {
  if (first_page >= end_page) return;
  if (++additions_ > kAdditionsMax) {
    files_.clear();
    additions_ = 1;
  }
  join(files_[{file.device, file.inode}], first_page, end_page);
}

void ReplayCache::remove(const FileId& file, std::uint64_t first_page, std::uint64_t end_page) {
  const auto found = files_.find({file.device, file.inode});
  if (found != files_.end() && first_page < end_page) cut_out(found->second, first_page, end_page);
}

std::uint64_t ReplayCache::count(const FileId& file, std::uint64_t first_page, std::uint64_t end_page) const {
  const auto found = files_.find({file.device, file.inode});
  if (found == files_.end()) return 0;
  const Intervals& intervals = found->second;
  auto at = intervals.upper_bound(first_page);
  if (at != intervals.begin()) --at;
  std::uint64_t resident = 0;
  for (; at != intervals.end() && at->first < end_page; ++at) {
    const std::uint64_t first = std::max(first_page, at->first);
    const std::uint64_t end = std::min(end_page, at->second);
    if (first < end) resident += end - first;
  }
  return resident;
}

}  // namespace discnice::cli
