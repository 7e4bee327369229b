// SPDX-License-Identifier: MIT
// timer: measures how long reading the clock takes, and in which steps the clock advances.
#include "microbench/registry_list.hpp"

namespace microbench {
namespace {

constexpr int kReadings = 2000;

constexpr Output kOutputs[] = {
    {"timer.overhead_ns", "ns", "back_to_back", "one reading of the clock", "libgray/src/memory", "", false,
     Kind::kValue, kCalmTime},
    {"timer.resolution_ns", "ns", "back_to_back", "the step by which the clock advances", "",
     "the least time that can be told from nothing: a figure near it is none", false},
};

class TimerSession : public Session {
 public:
  using Session::Session;
  void round() override {
    const gray::timing::Timer& timer = context().timer;
    const std::uint64_t start = timer.now_ns();
    for (int i = 0; i < kReadings; ++i) (void)timer.now_ns();
    add("timer.overhead_ns", timer.ns_since(start) / kReadings);
    add("timer.resolution_ns", timer.resolution_ns());
  }
};

}  // namespace

extern const Benchmark kTimer{
    "timer",
    "the clock",
    "Readings one after the other, timed as a whole. The clock is the one the kernel tells its own time by.",
    Needs::kNothing,
    Effort::kQuick,
    kOutputs,
    make_session<TimerSession>};

}  // namespace microbench
