// SPDX-License-Identifier: MIT
#include "tools/gbp/order.hpp"

#include <algorithm>

namespace gbp {
namespace {

// Shares of a file are compared in steps: a probe leaves a page behind, and a page more is no reason to
// change places.
int cached_steps(const File& file) {
  return file.cache.cached_fraction < 0 ? -1 : static_cast<int>(file.cache.cached_fraction * kCachedSteps);
}

int compare_cache(const File& a, const File& b) {
  return cached_steps(b) - cached_steps(a);
}

int group_of(const File& file) {
  if (file.cache.cached_fraction < 0) return 2;
  return file.cache.cached_fraction >= kCachedFractionMin ? 0 : 1;
}

int compare(const File& a, const File& b, Mode mode) {
  if ((a.error != 0) != (b.error != 0)) return a.error == 0 ? -1 : 1;
  if (a.error != 0) return 0;
  if (mode == Mode::mem) return compare_cache(a, b);
  if (mode == Mode::compose && group_of(a) != group_of(b)) return group_of(a) - group_of(b);
  return gb_layout_compare(&a.place, &b.place);
}

}  // namespace

void sort_files(std::vector<File>& files, Mode mode) {
  std::stable_sort(files.begin(), files.end(),
                   [mode](const File& a, const File& b) { return compare(a, b, mode) < 0; });
}

}  // namespace gbp
