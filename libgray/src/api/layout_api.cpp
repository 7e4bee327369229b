// SPDX-License-Identifier: MIT
// layout_api: the C face of the layout detector.
#include <cerrno>

#include "gray/layout.h"
#include "libgray/src/api/sized_struct.hpp"
#include "libgray/src/layout/place.hpp"

namespace {

constexpr std::size_t kPlaceSizeFirst = 40;  // release 0.1
static_assert(sizeof(gb_layout_place) >= kPlaceSizeFirst);

gray::layout::Place place_of(const struct gb_layout_place& given) {
  gray::layout::Place place{given.device, given.inode, {}};
  if (given.has_first_extent != 0) place.first_extent_bytes = given.first_extent_bytes;
  return place;
}

}  // namespace

extern "C" gb_status_t gb_layout_find(const char* path, struct gb_layout_place* place) {
  if (path == nullptr || place == nullptr || place->size < kPlaceSizeFirst) return -EINVAL;
  const auto found = gray::layout::find_place(path);
  if (!found) return found.error();
  struct gb_layout_place answer {};
  answer.device = found.value().device;
  answer.inode = found.value().inode;
  answer.has_first_extent = found.value().first_extent_bytes ? 1 : 0;
  answer.first_extent_bytes = found.value().first_extent_bytes.value_or(0);
  return gray::api::write_sized(answer, kPlaceSizeFirst, place);
}

extern "C" int gb_layout_compare(const struct gb_layout_place* a, const struct gb_layout_place* b) {
  if (a == nullptr || b == nullptr) return 0;
  return gray::layout::compare(place_of(*a), place_of(*b));
}
