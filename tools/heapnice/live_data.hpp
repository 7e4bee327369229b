// SPDX-License-Identifier: MIT
// live_data: estimates how much of a Java heap is live, from its collections.
//
// Knowledge assumed: the used memory after a collection is live data, and garbage that this collection did not examine. After a full collection there is no such garbage.
// Output observed: the use of the generation that is collected last, which changes only at collections; and the number of collections.
// Inference drawn: the live data is the least use seen since the last full collection, or in the last collections.
// What breaks it: growth of the live data is noticed only after the earlier least use is forgotten.
#pragma once

#include <cstdint>

#include "tools/heapnice/java_counters.hpp"

namespace heapnice {

class LiveData {
 public:
  void take(const JavaHeap& heap);
  [[nodiscard]] std::uint64_t bytes() const;

 private:
  static constexpr std::uint64_t kUnknown = ~std::uint64_t{0};
  std::uint64_t least_bytes_ = kUnknown;         // the least use in the present series of collections
  std::uint64_t least_before_bytes_ = kUnknown;  // the least use in the series before
  std::uint64_t since_ = 0;
  std::uint64_t full_collections_ = 0;
  bool is_full_just_ended_ = false;
};

}  // namespace heapnice
