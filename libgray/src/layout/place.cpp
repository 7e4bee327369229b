// SPDX-License-Identifier: MIT
#include "libgray/src/layout/place.hpp"

#include "libgray/src/os/os.hpp"

namespace gray::layout {
namespace {

int order(std::uint64_t a, std::uint64_t b) {
  if (a == b) return 0;
  return a < b ? -1 : 1;
}

}  // namespace

base::Result<Place> find_place(const char* path) {
  const base::Result<os::FileFacts> facts = os::look_at(path);
  if (!facts) return base::Result<Place>::failure(facts.error());
  Place place{facts.value().device, facts.value().inode, std::nullopt};
  if (!facts.value().is_regular) return place;
  const base::Result<int> fd = os::open_file(path);
  if (!fd) return place;  // its i-number is known all the same
  const base::Result<std::uint64_t> extent = os::first_extent_bytes(fd.value());
  if (extent) place.first_extent_bytes = extent.value();
  os::close_file(fd.value());
  return place;
}

int compare(const Place& a, const Place& b) {
  if (const int by_device = order(a.device, b.device); by_device != 0) return by_device;
  if (a.first_extent_bytes.has_value() != b.first_extent_bytes.has_value())
    return a.first_extent_bytes ? -1 : 1;
  if (a.first_extent_bytes) {
    if (const int by_extent = order(*a.first_extent_bytes, *b.first_extent_bytes); by_extent != 0)
      return by_extent;
  }
  return order(a.inode, b.inode);
}

}  // namespace gray::layout
