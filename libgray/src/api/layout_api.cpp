// SPDX-License-Identifier: MIT
// layout_api: the C interface of the layout detector.
#include <cerrno>

#include "gray/layout.h"
#include "libgray/src/api/sized_struct.hpp"
#include "libgray/src/layout/place.hpp"

namespace {

constexpr std::size_t kPlaceSizeFirst = 40;  // release 0.1
static_assert(sizeof(gb_layout_place) >= kPlaceSizeFirst);

// A place of the first release has no time.
gray::layout::Place place_of(const struct gb_layout_place& given) {
  gray::layout::Place place{given.device, given.inode, {}, 0};
  if (given.has_first_extent != 0) place.first_extent_bytes = given.first_extent_bytes;
  if (given.size > kPlaceSizeFirst) place.modified_ns = given.modified_ns;
  return place;
}

int write_place(const gray::base::Result<gray::layout::Place>& found, struct gb_layout_place* place) {
  if (!found) return found.error();
  struct gb_layout_place answer {};
  answer.device = found.value().device;
  answer.inode = found.value().inode;
  answer.has_first_extent = found.value().first_extent_bytes ? 1 : 0;
  answer.first_extent_bytes = found.value().first_extent_bytes.value_or(0);
  answer.modified_ns = found.value().modified_ns;
  return gray::api::write_sized(answer, kPlaceSizeFirst, place);
}

}  // namespace

extern "C" gb_status_t gb_layout_find(const char* path, struct gb_layout_place* place) {
  if (path == nullptr || place == nullptr || place->size < kPlaceSizeFirst) return -EINVAL;
  return write_place(gray::layout::find_place(path), place);
}

extern "C" gb_status_t gb_layout_find_fd(int fd, struct gb_layout_place* place) {
  if (place == nullptr || place->size < kPlaceSizeFirst) return -EINVAL;
  return write_place(gray::layout::find_place_open(fd), place);
}

extern "C" int gb_layout_compare(const struct gb_layout_place* a, const struct gb_layout_place* b) {
  return gb_layout_compare_by(a, b, GB_ORDER_AUTO);
}

extern "C" int gb_layout_compare_by(const struct gb_layout_place* a, const struct gb_layout_place* b,
                                    gb_order_t order) {
  if (a == nullptr || b == nullptr) return 0;
  return gray::layout::compare(place_of(*a), place_of(*b), static_cast<gray::layout::Order>(order));
}

extern "C" gb_status_t gb_layout_advise(const char* path, double random_over_sequential, gb_order_t* order) {
  if (path == nullptr || order == nullptr) return -EINVAL;
  const auto advised = gray::layout::advise(path, random_over_sequential);
  if (!advised) return advised.error();
  *order = static_cast<gb_order_t>(advised.value());
  return 0;
}
