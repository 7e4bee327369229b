// SPDX-License-Identifier: MIT
// java_lever: changes the size of the heap of a running JVM, in a way that depends on the collector.
//
// Knowledge assumed, measured with OpenJDK 17 and 25:
// - Serial: at each full collection the old generation gets a size of which MinHeapFreeRatio to MaxHeapFreeRatio percent are free, and the young generation follows. Both flags
// can be changed at run time. With -XX:-ShrinkHeapInSteps the heap shrinks at once.
// - G1 does the same for the whole heap. The heap also grows by itself when collecting takes a larger share of the time than GCTimeRatio says, and at the end
// of each marking.
// - ZGC and Shenandoah begin to collect early enough to stay below SoftMaxHeapSize, if they can.
// - Parallel uses none of these flags when it is asked to collect.
// Output observed: the memory that the heap has from the kernel.
// Inference drawn: the ratio with which the live data gives the heap that size; and that a collection must be ordered if the heap is larger.
// What breaks it: a program that allocates faster than the collector can follow: ZGC and Shenandoah then take as much as -Xmx allows.
#pragma once

#include <cstdint>
#include <string>

#include "tools/heapnice/java_attach.hpp"
#include "tools/heapnice/java_counters.hpp"
#include "tools/heapnice/java_flags.hpp"

namespace heapnice {

/// The free share, in percent, of a heap of `goal_bytes` with this much live data. `old_share` is that of JavaFlags. Pure.
unsigned free_ratio(std::uint64_t live_bytes, std::uint64_t goal_bytes, double old_share);

class JavaLever {
 public:
  JavaLever(JavaAttach& attach, const JavaFlags& flags) : attach_(attach), flags_(flags) {}

  /// The reason why this heap cannot shrink while it runs, as the end of a sentence; empty if it can shrink.
  [[nodiscard]] std::string obstacle() const;

  /// Changes the heap towards that size. Call it often, because a part of the change may only be possible later. `is_urgent`: there is not enough memory for
  /// the heap's present size. Returns 0, or a negative errno of JavaAttach.
  int move(std::uint64_t goal_bytes, const JavaHeap& heap, std::uint64_t live_bytes, bool is_urgent);

  /// The number of ordered collections.
  [[nodiscard]] unsigned ordered() const { return ordered_; }

 private:
  int set_flag(const char* name, std::uint64_t value);
  int set_ratios(unsigned least, unsigned most);
  int order_collection();
  [[nodiscard]] bool may_order(bool is_urgent);

  JavaAttach& attach_;
  JavaFlags flags_;
  std::uint64_t soft_max_bytes_ = 0;
  unsigned least_ratio_ = 40;  // the ratios with which a JVM starts
  unsigned most_ratio_ = 70;
  unsigned ordered_ = 0;
  bool is_ordered_ = false;  // a collection was ordered and has not ended yet
  std::uint64_t ordered_ns_ = 0;
  std::uint64_t rest_until_ns_ = 0;
  std::uint64_t urgent_rest_until_ns_ = 0;
};

}  // namespace heapnice
