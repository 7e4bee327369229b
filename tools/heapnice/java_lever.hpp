// SPDX-License-Identifier: MIT
// java_lever: changes the size of the heap of a running JVM, in the way of each collector.
//
// Knowledge assumed, measured with OpenJDK 17 and 25:
// - Serial: at each full collection the old generation gets the size at which MinHeapFreeRatio to MaxHeapFreeRatio of it are free, and the young one
//   follows. Both flags may be moved. With -XX:-ShrinkHeapInSteps it shrinks at once.
// - G1 does so, too, for the whole heap; and it grows by itself when collecting takes more of the time than GCTimeRatio says, and at the end of each marking.
// - ZGC and Shenandoah begin to collect so early that they stay below SoftMaxHeapSize, if they can.
// - Parallel looks at none of these when it is asked to collect.
// Output observed: what the heap has of the kernel.
// Inference drawn: the ratio that gives the heap this size with its live data; and that a collection must be ordered if the heap is larger.
// What breaks it: a program that allocates faster than the collector follows: ZGC and Shenandoah then take what -Xmx allows.
#pragma once

#include <cstdint>
#include <string>

#include "tools/heapnice/java_attach.hpp"
#include "tools/heapnice/java_counters.hpp"
#include "tools/heapnice/java_flags.hpp"

namespace heapnice {

/// The percentage of the heap that is free if the heap has `goal_bytes` and this much live data. `old_share`: JavaFlags. Pure.
unsigned free_ratio(std::uint64_t live_bytes, std::uint64_t goal_bytes, double old_share);

class JavaLever {
 public:
  JavaLever(JavaAttach& attach, const JavaFlags& flags) : attach_(attach), flags_(flags) {}

  /// Why this heap cannot shrink while it runs, as the end of a sentence; empty if it can.
  [[nodiscard]] std::string obstacle() const;

  /// Changes the heap towards that size. Call this often: steps that are not possible at once are made later. Urgent means that there is no free memory for the present size.
  /// Returns 0, or a negative errno of the connection to the JVM.
  int move(std::uint64_t goal_bytes, const JavaHeap& heap, std::uint64_t live_bytes, bool is_urgent);

  /// How many collections were ordered.
  [[nodiscard]] unsigned ordered() const { return ordered_; }

 private:
  int set_flag(const char* name, std::uint64_t value);
  int set_ratios(unsigned least, unsigned most);
  int order_collection();
  [[nodiscard]] bool may_order(bool is_urgent);

  JavaAttach& attach_;
  JavaFlags flags_;
  std::uint64_t soft_max_bytes_ = 0;
  unsigned least_ratio_ = 40;  // what a JVM begins with
  unsigned most_ratio_ = 70;
  unsigned ordered_ = 0;
  bool is_ordered_ = false;  // and not done yet
  std::uint64_t ordered_ns_ = 0;
  std::uint64_t rest_until_ns_ = 0;
  std::uint64_t urgent_rest_until_ns_ = 0;
};

}  // namespace heapnice
