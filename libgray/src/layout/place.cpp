// SPDX-License-Identifier: MIT
#include "libgray/src/layout/place.hpp"

#include <algorithm>
#include <iterator>

#include "libgray/src/core/served_kinds.hpp"
#include "libgray/src/os/os.hpp"

namespace gray::layout {
namespace {

// File systems, by their number in statfs(2), whose i-numbers and addresses do not tell a place on one disk. File systems that core/served_kinds.hpp lists are
// not repeated here.
constexpr std::uint64_t kPlaceless[] = {
    0x01021994,  // tmpfs
    0x858458f6,  // ramfs
    0x794c7630,  // overlay
    0x9123683e,  // btrfs
    0x2fc12fc1,  // ZFS
    0xca451a4e,  // bcachefs
    0xf2f52010,  // F2FS
    0x9fa0,      // proc
    0x62656572,  // sysfs
};

template <typename T>
int rank(T a, T b) {
  if (a == b) return 0;
  return a < b ? -1 : 1;
}

int compare_by_extent(const Place& a, const Place& b) {
  if (a.first_extent_bytes.has_value() != b.first_extent_bytes.has_value())
    return a.first_extent_bytes ? -1 : 1;
  return a.first_extent_bytes ? rank(*a.first_extent_bytes, *b.first_extent_bytes) : 0;
}

Place place_without_extent(const os::FileFacts& facts) {
  return {facts.device, facts.inode, std::nullopt, facts.modified_ns};
}

void add_extent(int fd, Place& place) {
  const base::Result<std::uint64_t> extent = os::first_extent_bytes(fd);
  if (extent) place.first_extent_bytes = extent.value();
}

}  // namespace

base::Result<Place> find_place(const char* path) {
  const base::Result<os::FileFacts> facts = os::look_at(path);
  if (!facts) return base::Result<Place>::failure(facts.error());
  Place place = place_without_extent(facts.value());
  if (!facts.value().is_regular) return place;
  const base::Result<int> fd = os::open_file(path);
  if (!fd) return place;  // the i-number is known even if the file cannot be opened
  add_extent(fd.value(), place);
  os::close_file(fd.value());
  return place;
}

base::Result<Place> find_place_open(int fd) {
  const base::Result<os::FileFacts> facts = os::look_at_open(fd);
  if (!facts) return base::Result<Place>::failure(facts.error());
  Place place = place_without_extent(facts.value());
  if (facts.value().is_regular) add_extent(fd, place);
  return place;
}

int compare(const Place& a, const Place& b, Order order) {
  if (order == Order::none) return 0;
  int result = rank(a.device, b.device);
  if (result != 0) return result;
  if (order == Order::mtime) result = rank(a.modified_ns, b.modified_ns);
  if (order == Order::extent || order == Order::automatic) result = compare_by_extent(a, b);
  return result != 0 ? result : rank(a.inode, b.inode);
}

base::Result<Order> advise(const char* path, double random_over_sequential) {
  const base::Result<std::uint64_t> kind = os::file_system_kind(path);
  if (!kind) return base::Result<Order>::failure(kind.error());
  const bool is_placeless =
      std::find(std::begin(kPlaceless), std::end(kPlaceless), kind.value()) != std::end(kPlaceless);
  if (is_placeless || core::is_served(kind.value())) return Order::none;
  if (random_over_sequential > 0)
    return random_over_sequential >= kSeekRatioMin ? Order::extent : Order::none;
  const base::Result<os::FileFacts> facts = os::look_at(path);
  if (!facts) return base::Result<Order>::failure(facts.error());
  return os::is_rotational(facts.value().device).value_or(true) ? Order::extent : Order::none;
}

}  // namespace gray::layout
