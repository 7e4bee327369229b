// SPDX-License-Identifier: MIT
// live_data: how much of a Java heap is live, as far as its collections have shown.
//
// Knowledge assumed: what is used after a collection is what is live and garbage that this collection did not look at; after a full one there is no such
// garbage.
// Output observed: the use of the generation that is collected last, which changes at collections only, and their numbers.
// Inference drawn: the least use seen, since the last full collection or in the last collections.
// What breaks it: live data that grows is seen only when the least use before it is forgotten.
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
  std::uint64_t least_bytes_ = kUnknown;         // of these collections
  std::uint64_t least_before_bytes_ = kUnknown;  // and of as many before them
  std::uint64_t since_ = 0;
  std::uint64_t full_collections_ = 0;
  bool is_full_just_ended_ = false;
};

}  // namespace heapnice
