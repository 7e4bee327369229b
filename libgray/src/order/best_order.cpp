// SPDX-License-Identifier: MIT
#include "libgray/src/order/best_order.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "libgray/src/core/cached_by_itself.hpp"

namespace gray::order {
namespace {

// Cached shares are compared in steps: a probe leaves its page in the cache, and one more page should not change the order.
int cached_steps(const File& file) {
  return static_cast<int>(file.cached_fraction * kCachedSteps);
}

double cached_bytes(const File& file) {
  return core::cached_bytes(file.cached_fraction, file.size_bytes);
}

// Whether cached pages would be evicted before their files are read, because so much of the set is not cached.
bool is_much_missing(const std::vector<File>& files) {
  double bytes = 0;
  double cached = 0;
  for (const File& file : files) {
    if (file.error != 0 || file.cached_fraction < 0) continue;
    bytes += static_cast<double>(file.size_bytes);
    cached += cached_bytes(file);
  }
  return bytes - cached > kMissingShareMax * bytes;
}

struct Rule {
  Mode mode;
  bool is_much_missing;
  bool is_layout_known;
};

// The groups, in the order in which they are read.
enum Group : std::uint8_t { kWhole, kMuch, kOthers, kUnknown };

Group group_of(const File& file, const Rule& rule) {
  if (file.cached_fraction < 0) return kUnknown;
  if (file.cached_fraction >= 1) return kWhole;
  if (rule.mode == Mode::compose && file.cached_fraction < core::kCachedFractionMin) return kOthers;
  const bool is_much = cached_bytes(file) >= static_cast<double>(core::kMuchBytes) ||
                       (rule.is_much_missing && cached_steps(file) > 0);
  return is_much ? kMuch : kOthers;
}

layout::Place place_of(const File& file) {
  layout::Place place{file.device, file.inode, {}, file.modified_ns};
  if (file.has_first_extent) place.first_extent_bytes = file.first_extent_bytes;
  return place;
}

// Compares first by device, then by the device's order. This is transitive, because all files of a device have the same order.
int compare_layout(const File& a, const File& b) {
  if (a.device != b.device) return a.device < b.device ? -1 : 1;
  return layout::compare(place_of(a), place_of(b), a.order);
}

int compare(const File& a, const File& b, const Rule& rule) {
  if ((a.error != 0) != (b.error != 0)) return a.error == 0 ? -1 : 1;
  if (a.error != 0) return 0;
  if (rule.mode == Mode::file) return rule.is_layout_known ? compare_layout(a, b) : 0;
  const Group group = group_of(a, rule);
  if (const Group group_b = group_of(b, rule); group != group_b) return group < group_b ? -1 : 1;
  if (group != kWhole && a.level != b.level) return a.level < b.level ? -1 : 1;
  if (rule.mode == Mode::mem) return group == kMuch ? cached_steps(b) - cached_steps(a) : 0;
  return rule.is_layout_known ? compare_layout(a, b) : 0;
}

std::string_view folder_of(const File& file) {
  const std::string_view path = file.path;
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash + 1);
}

// The folders, numbered in the order in which they first appear. Empty if folders are not told apart.
class Folders {
 public:
  Folders(const std::vector<File>& files, bool are_told_apart) {
    if (!are_told_apart) return;
    for (const File& file : files) places_.try_emplace(folder_of(file), static_cast<int>(places_.size()));
  }

  [[nodiscard]] int compare(const File& a, const File& b) const {
    return places_.empty() ? 0 : places_.at(folder_of(a)) - places_.at(folder_of(b));
  }

 private:
  std::unordered_map<std::string_view, int> places_;
};

void number(std::vector<File>& files) {
  std::uint32_t place = 0;
  for (File& file : files) file.input = place++;
}

// std::stable_sort would take half as much memory again as the files. Files that are already in order cost only one comparison pass. That is so where no order
// saves time.
template <typename IsBefore>
void sort_by(std::vector<File>& files, const IsBefore& is_before) {
  if (!std::is_sorted(files.begin(), files.end(), is_before))
    std::sort(files.begin(), files.end(), is_before);
}

}  // namespace

void sort_files(std::vector<File>& files, Mode mode, bool is_by_folder) {
  number(files);
  // When no device has an order, files are not sorted by device either, and the order of the input is kept.
  const bool is_layout_known = !is_by_folder && std::any_of(files.begin(), files.end(), [](const File& file) {
    return file.error == 0 && file.order != layout::Order::none;
  });
  const Rule rule{mode, is_much_missing(files), is_layout_known};
  const Folders folders(files, is_by_folder);
  sort_by(files, [&rule, &folders](const File& a, const File& b) {
    int order = compare(a, b, rule);
    if (order == 0) order = folders.compare(a, b);
    return order != 0 ? order < 0 : a.input < b.input;
  });
}

}  // namespace gray::order
