// SPDX-License-Identifier: MIT
// clocks: the cost of an ordered reading of the processor's own counter, and of a reading of CLOCK_MONOTONIC, which times all probes.
//
//   clocks        prints two figures: nanoseconds of the counter and of CLOCK_MONOTONIC, each the median of short batches that alternate
//
// Exit status 77 on processors whose counter this program cannot read.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "toolbox/base/clock.hpp"

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace {

constexpr unsigned kPairs = 2'000;
constexpr unsigned kReadings = 500;

// Reads the counter in program order: neither earlier nor later work moves past the reading.
std::uint64_t read_counter() {
#if defined(__x86_64__)
  _mm_lfence();
  const std::uint64_t ticks = __rdtsc();
  _mm_lfence();
  return ticks;
#elif defined(__aarch64__)
  std::uint64_t ticks;
  asm volatile("isb\n\tmrs %0, cntvct_el0\n\tisb" : "=r"(ticks) : : "memory");
  return ticks;
#else
  std::puts("SKIP: the counter of this processor is not known here");
  std::exit(77);
#endif
}

template <typename Reading>
double cost_ns(Reading reading) {
  std::uint64_t sum = 0;
  const std::uint64_t start_ns = gray::base::monotonic_ns();
  for (unsigned i = 0; i < kReadings; ++i) sum ^= reading();
  const std::uint64_t end_ns = gray::base::monotonic_ns();
  asm volatile("" : : "r"(sum));  // keeps the compiler from removing the readings
  return static_cast<double>(end_ns - start_ns) / kReadings;
}

double median(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

int main() {
  std::vector<double> counter;
  std::vector<double> clock;
  for (unsigned i = 0; i < kPairs; ++i) {
    counter.push_back(cost_ns(read_counter));
    clock.push_back(cost_ns(gray::base::monotonic_ns));
  }
  std::printf("%.2f %.2f\n", median(counter), median(clock));
}
