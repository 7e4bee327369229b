// SPDX-License-Identifier: MIT
#include "tools/heapnice/live_data.hpp"

#include <algorithm>

namespace heapnice {
namespace {

constexpr std::uint64_t kCollectionsRemembered =
    64;  // of G1, until a marking and what follows have looked at all of it

}  // namespace

void LiveData::take(const JavaHeap& heap) {
  if (heap.full_collections != full_collections_) {
    // The memory that it has left is counted a moment after it has ended.
    full_collections_ = heap.full_collections;
    is_full_just_ended_ = true;
    return;
  }
  if (is_full_just_ended_) {
    is_full_just_ended_ = false;
    least_before_bytes_ = least_bytes_ = kUnknown;
    since_ = heap.collections;
  } else if (heap.collections - since_ >= kCollectionsRemembered) {
    least_before_bytes_ = least_bytes_;
    least_bytes_ = kUnknown;
    since_ = heap.collections;
  }
  least_bytes_ = std::min(least_bytes_, heap.old_used_bytes);
}

std::uint64_t LiveData::bytes() const {
  const std::uint64_t least = std::min(least_bytes_, least_before_bytes_);
  return least == kUnknown ? 0 : least;
}

}  // namespace heapnice
