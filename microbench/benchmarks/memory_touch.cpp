// SPDX-License-Identifier: MIT
// memory_touch: the time of the first write to a fresh page, small or huge, and of a write to a page that exists already.
//
// Knowledge assumed: the kernel gives and zeroes a page at its first touch. Observed: the time of each single
// touch. Inferred: the median. In a virtual machine some touches wait until the host has found memory for them. These times form a tail, which does not
// describe this kernel.
#include <sys/resource.h>

#include <algorithm>
#include <cmath>

#include "microbench/mapping.hpp"
#include "microbench/registry_list.hpp"
#include "toolbox/stats/summary.hpp"

namespace microbench {
namespace {

constexpr std::size_t kSmallBytes = 4096;
constexpr std::size_t kSmallPages = 1024;
// The first passes fill the processor's TLB; later passes measure only the write.
constexpr int kRetouchPasses = 8;

constexpr std::size_t kHugeBytes = 2 * 1024 * 1024;
constexpr std::size_t kHugePages = 4;

constexpr Output kOutputs[] = {
    {"memory.touch_4k_ns", "ns", "each_page", "first write to a fresh page while memory is free",
     "libgray/src/memory, microbench report", "", false, Kind::kValue, kCalmTime},
    {"memory.retouch_ns", "ns", "later_pass", "a write to a page that is there",
     "libgray/src/memory, microbench report", "", false, Kind::kValue, kCalmTime},
    {"memory.touch_huge_ns", "ns", "each_page", "first write to a fresh huge page of 2 MiB",
     "microbench report", "what a slow first touch may be in place of paging: the clearing of a huge page",
     false, Kind::kValue, kCalmTime},
};

long minor_faults() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_minflt;
}

class MemoryTouchSession : public Session {
 public:
  using Session::Session;
  void round() override {
    touch_small();
    if (has_huge_) touch_huge();
  }

 private:
  std::vector<double> touch_each(char* data, std::size_t step, std::size_t count) {
    const gray::timing::Timer& timer = context().timer;
    std::vector<double> times;
    times.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t start = timer.now_ns();
      *static_cast<volatile char*>(data + i * step) = 1;
      times.push_back(std::max(timer.ns_since(start) - timer.cost_ns(), 0.0));
    }
    return times;
  }

  void touch_small() {
    const Mapping memory(kSmallPages * kSmallBytes);
    [[maybe_unused]] const bool is_small = memory.advise(MADV_NOHUGEPAGE);
    const auto first = gray::stats::summarize(touch_each(memory.data(), kSmallBytes, kSmallPages));
    const gray::timing::Timer& timer = context().timer;
    double least_ns = INFINITY;
    for (int pass = 0; pass < kRetouchPasses; ++pass) {
      const std::uint64_t start = timer.now_ns();
      for (std::size_t i = 0; i < kSmallPages; ++i) {
        *static_cast<volatile char*>(memory.data() + i * kSmallBytes) = 2;
      }
      least_ns = std::min(least_ns, timer.ns_since(start) / kSmallPages);
    }
    add("memory.retouch_ns", least_ns);
    if (first) add("memory.touch_4k_ns", first.value().median);
  }

  void touch_huge() {
    const Mapping memory((kHugePages + 1) * kHugeBytes);
    char* data = memory.aligned(kHugeBytes);
    const long faults = minor_faults();
    has_huge_ = memory.advise(MADV_HUGEPAGE);
    if (!has_huge_) return;
    const auto times = touch_each(data, kHugeBytes, kHugePages);
    // Memory beyond the first small page must exist already. Otherwise the page was not huge.
    for (std::size_t i = 0; i < kHugePages; ++i) {
      *static_cast<volatile char*>(data + i * kHugeBytes + kHugeBytes / 2) = 1;
    }
    has_huge_ = minor_faults() - faults == static_cast<long>(kHugePages);
    const auto summary = gray::stats::summarize(times);
    if (has_huge_ && summary) add("memory.touch_huge_ns", summary.value().median);
  }

  bool has_huge_ = true;
};

}  // namespace

extern const Benchmark kMemoryTouch{
    "memory_touch",
    "the first touch of memory",
    "Every touch is timed alone, the median of a round taken, and of the rounds a "
    "low one; a huge page counts "
    "only where the fault counter shows one "
    "fault for the whole of it.",
    Needs::kNothing,
    Effort::kQuick,
    kOutputs,
    make_session<MemoryTouchSession>};

}  // namespace microbench
