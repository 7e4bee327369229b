// SPDX-License-Identifier: MIT
#include "tools/gbp/parts.hpp"

#include <algorithm>

#include "toolbox/base/units.hpp"

namespace gbp {
namespace {

using gray::base::kKiB;
using gray::base::kMiB;

// The length of a part where the kernel counts cached pages. It is short, so that only little of a partly cached part is evicted before its turn. It is long
// enough that a disk rarely has to seek between the uncached parts.
constexpr std::uint64_t kCountedPartBytes = 256 * kKiB;

constexpr std::uint64_t kPageBytes = 4 * kKiB;
// The same for cached parts, which are examined again just before they are read.
constexpr std::uint64_t kReadBytes = kMiB;
constexpr std::uint64_t kLookAgainBytes = 4 * kMiB;  // of the other parts, which are examined page by page
constexpr double kWhollyCached = 0.999;              // nothing has to be read from the disk

struct ClosePlan {
  void operator()(gb_cache_plan_t* plan) const { gb_cache_plan_free(plan); }
};

std::vector<gb_cache_unit> plan(gb_cache_t* detector, const char* path, gb_cache_plan_options options,
                                gb_status_t& status) {
  options.size = sizeof options;
  gb_cache_plan_t* made = nullptr;
  status = gb_cache_plan_file(detector, path, &options, &made);
  const std::unique_ptr<gb_cache_plan_t, ClosePlan> plan(made);
  std::vector<gb_cache_unit> units(gb_cache_plan_count(made));
  for (std::size_t i = 0; i < units.size(); ++i) {
    units[i].size = sizeof units[i];
    gb_cache_plan_unit(made, i, &units[i]);
  }
  return units;
}

bool is_counted(const gb_cache_unit& unit) {
  return unit.backend == GB_BACKEND_CACHESTAT || unit.backend == GB_BACKEND_MINCORE;
}

bool is_before(const gb_cache_unit& a, const gb_cache_unit& b) {
  return a.offset_bytes < b.offset_bytes;
}

double cached_bytes(const gb_cache_unit& part) {
  return std::max(part.cached_fraction, 0.0) * static_cast<double>(part.length_bytes);
}

std::uint64_t end_of(const std::vector<gb_cache_unit>& parts) {
  std::uint64_t end = 0;
  for (const gb_cache_unit& part : parts) end = std::max(end, part.offset_bytes + part.length_bytes);
  return end;
}

std::vector<gb_cache_unit> joined(const std::vector<gb_cache_unit>& units) {
  std::vector<gb_cache_unit> parts;
  for (const gb_cache_unit& unit : units) {
    gb_cache_unit* last = parts.empty() ? nullptr : &parts.back();
    if (last == nullptr || cached_of(*last) != cached_of(unit) ||
        last->offset_bytes + last->length_bytes != unit.offset_bytes) {
      parts.push_back(unit);
      continue;
    }
    const double cached = cached_bytes(*last) + cached_bytes(unit);
    last->length_bytes += unit.length_bytes;
    last->cached_fraction = cached / static_cast<double>(last->length_bytes);
  }
  return parts;
}

}  // namespace

std::vector<gb_cache_unit> units_of_file(gb_cache_t* detector, const char* path, std::uint64_t record_bytes,
                                         const Wanted& wanted, gb_status_t& status) {
  gb_cache_plan_options options{};
  options.access_unit_bytes = wanted.host->access_unit_bytes;
  options.record_bytes = record_bytes;
  return plan(detector, path, options, status);
}

std::vector<gb_cache_unit> units_of_length(gb_cache_t* detector, const char* path, std::uint64_t length_bytes,
                                           gb_status_t& status) {
  gb_cache_plan_options options{};
  options.access_unit_bytes = length_bytes;
  return plan(detector, path, options, status);
}

Cached cached_of(const gb_cache_unit& part) {
  if (part.cached_fraction >= kWhollyCached) return Cached::all;
  return part.cached_fraction == 0 ? Cached::none : Cached::some;
}

gb_status_t Parts::find(std::uint64_t record_bytes, const Wanted& wanted) {
  gb_status_t status = 0;
  others_ = units_of_file(detector_, path_, record_bytes, wanted, status);
  bytes_ = end_of(others_);
  if (status != 0 || !std::all_of(others_.begin(), others_.end(), is_counted)) return status;
  gb_cache_plan_options options{};
  options.access_unit_bytes = kCountedPartBytes;
  options.record_bytes = record_bytes;
  const std::vector<gb_cache_unit> parts = plan(detector_, path_, options, status);
  bytes_ = end_of(parts);
  others_.clear();
  for (const gb_cache_unit& part : parts)
    if (cached_of(part) == Cached::all)
      cached_.push_back(part);
    else
      others_.push_back(part);
  std::sort(cached_.begin(), cached_.end(), is_before);
  is_counted_ = true;
  sort_others(0);
  return status;
}

std::vector<gb_cache_unit> Parts::next_cached() {
  while (take_cached())
    if (!still_cached_.empty()) return joined(still_cached_);
  return {};
}

void Parts::sort_others(std::size_t first) {
  if (!is_counted_ || sorted_count_ == others_.size()) return;
  sorted_count_ = others_.size();
  const std::uint64_t head_bytes = first == 0 ? 0 : others_[first - 1].offset_bytes;
  std::sort(others_.begin() + static_cast<std::ptrdiff_t>(first), others_.end(),
            [head_bytes](const gb_cache_unit& a, const gb_cache_unit& b) {
              const bool is_a_passed = a.offset_bytes < head_bytes;
              const bool is_b_passed = b.offset_bytes < head_bytes;
              return is_a_passed != is_b_passed ? is_b_passed : a.offset_bytes < b.offset_bytes;
            });
}

std::vector<gb_cache_unit> Parts::next_pages() {
  std::vector<gb_cache_unit> pages;
  while (is_counted_ && pages.empty() && pages_next_ < others_.size()) {
    std::vector<gb_extent> extents;
    for (; pages_next_ < others_.size() && extents.size() < kLookAgainBytes / kPageBytes; ++pages_next_) {
      const gb_cache_unit& part = others_[pages_next_];
      const std::uint64_t end = part.offset_bytes + part.length_bytes;
      // A longer part occurs only in a huge file.
      if (cached_of(part) == Cached::none || part.length_bytes > kLookAgainBytes) continue;
      for (std::uint64_t at = part.offset_bytes; at < end; at += kPageBytes)
        extents.push_back({at, std::min(kPageBytes, end - at)});
    }
    for (const gb_cache_unit& page : look_again(extents))
      if (cached_of(page) == Cached::all) pages.push_back(page);
  }
  std::sort(pages.begin(), pages.end(), is_before);
  return joined(pages);
}

// Empty if the file has become shorter, was removed or was replaced in the meantime.
std::vector<gb_cache_unit> Parts::look_again(const std::vector<gb_extent>& extents) const {
  gb_cache_plan_options options{};
  options.extents = extents.data();
  options.extent_count = extents.size();
  gb_status_t status = 0;
  std::vector<gb_cache_unit> units;
  if (!extents.empty()) units = plan(detector_, path_, options, status);
  if (units.size() != extents.size()) units.clear();
  return units;
}

// Takes the next cached parts, without those that are no longer cached. False at the end.
bool Parts::take_cached() {
  std::vector<gb_cache_unit> taken;
  std::vector<gb_extent> extents;
  still_cached_.clear();
  for (std::uint64_t bytes = 0; !cached_.empty() && bytes < kReadBytes; bytes += taken.back().length_bytes) {
    taken.push_back(is_from_end_ ? cached_.back() : cached_.front());
    is_from_end_ ? cached_.pop_back() : cached_.pop_front();
    extents.push_back({taken.back().offset_bytes, taken.back().length_bytes});
  }
  std::vector<gb_cache_unit> again = look_again(extents);
  if (again.empty()) again = taken;
  const std::uint64_t evicted_before = evicted_bytes_;
  for (const gb_cache_unit& part : again) {
    (cached_of(part) == Cached::all ? still_cached_ : others_).push_back(part);
    evicted_bytes_ += part.length_bytes - static_cast<std::uint64_t>(cached_bytes(part));
  }
  if (evicted_bytes_ > evicted_before) is_from_end_ = !is_from_end_;
  std::sort(still_cached_.begin(), still_cached_.end(), is_before);
  return !taken.empty();
}

}  // namespace gbp
