// SPDX-License-Identifier: MIT
#include "tools/gbp/order.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_map>

namespace gbp {
namespace {

// Shares of a file are compared in steps: a probe leaves a page behind, and a page more is no reason to
// change places.
int cached_steps(const File& file) {
  return static_cast<int>(file.cached_fraction * kCachedSteps);
}

double cached_bytes(const File& file) {
  return std::max(file.cached_fraction, 0.0F) * static_cast<double>(file.size_bytes);
}

// So much that whatever waits for its turn among that is pushed out.
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
};

// In the order in which they are read.
enum Group : std::uint8_t { kWhole, kMuch, kOthers, kUnknown };

Group group_of(const File& file, const Rule& rule) {
  if (file.cached_fraction < 0) return kUnknown;
  if (file.cached_fraction >= 1) return kWhole;
  if (rule.mode == Mode::compose && file.cached_fraction < kCachedFractionMin) return kOthers;
  const bool is_much = cached_bytes(file) >= static_cast<double>(kMuchBytes) ||
                       (rule.is_much_missing && cached_steps(file) > 0);
  return is_much ? kMuch : kOthers;
}

gb_layout_place place_of(const File& file) {
  gb_layout_place place{};
  place.size = sizeof place;
  place.device = file.device;
  place.inode = file.inode;
  place.has_first_extent = file.has_first_extent ? 1 : 0;
  place.first_extent_bytes = file.first_extent_bytes;
  place.modified_ns = file.modified_ns;
  return place;
}

// Files of one device have one order, so this is transitive: devices apart first, then by that order.
int compare_layout(const File& a, const File& b) {
  if (a.device != b.device) return a.device < b.device ? -1 : 1;
  const gb_layout_place place_a = place_of(a);
  const gb_layout_place place_b = place_of(b);
  return gb_layout_compare_by(&place_a, &place_b, static_cast<gb_order_t>(a.order));
}

int compare(const File& a, const File& b, const Rule& rule, bool is_layout_known) {
  if ((a.error != 0) != (b.error != 0)) return a.error == 0 ? -1 : 1;
  if (a.error != 0) return 0;
  if (rule.mode == Mode::file) return is_layout_known ? compare_layout(a, b) : 0;
  const Group group = group_of(a, rule);
  if (const Group group_b = group_of(b, rule); group != group_b) return group < group_b ? -1 : 1;
  if (group != kWhole && a.level != b.level) return a.level < b.level ? -1 : 1;
  if (rule.mode == Mode::mem) return group == kMuch ? cached_steps(b) - cached_steps(a) : 0;
  return is_layout_known ? compare_layout(a, b) : 0;
}

std::string_view directory_of(const File& file) {
  const std::string_view path = file.path;
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash + 1);
}

void number(std::vector<File>& files) {
  std::uint32_t rank = 0;
  for (File& file : files) file.rank = rank++;
}

// A stable sort would take half as much memory again as the files. Where all are alike, which is where gbp abstains, finding that out
// is all that it may cost.
template <typename IsBefore>
void sort_by(std::vector<File>& files, const IsBefore& compare) {
  number(files);
  const auto is_before = [&compare](const File& a, const File& b) {
    const int order = compare(a, b);
    return order != 0 ? order < 0 : a.rank < b.rank;
  };
  if (!std::is_sorted(files.begin(), files.end(), is_before))
    std::sort(files.begin(), files.end(), is_before);
}

// Before everything else, so that a sort by the rest keeps it among ties.
void gather_directories(std::vector<File>& files) {
  std::unordered_map<std::string_view, int> places;
  for (const File& file : files) places.try_emplace(directory_of(file), static_cast<int>(places.size()));
  sort_by(files, [&places](const File& a, const File& b) {
    return places.at(directory_of(a)) - places.at(directory_of(b));
  });
}

}  // namespace

bool is_cached(const File& file) {
  return group_of(file, {Mode::compose, false}) <= kMuch;
}

void sort_files(std::vector<File>& files, Mode mode, bool is_by_directory) {
  if (is_by_directory) gather_directories(files);
  // Where no device has an order, devices are not told apart either: abstaining leaves the input alone.
  const bool is_layout_known =
      !is_by_directory && std::any_of(files.begin(), files.end(), [](const File& file) {
        return file.error == 0 && file.order != GB_ORDER_NONE;
      });
  const Rule rule{mode, is_much_missing(files)};
  sort_by(files, [&rule, is_layout_known](const File& a, const File& b) {
    return compare(a, b, rule, is_layout_known);
  });
}

}  // namespace gbp
