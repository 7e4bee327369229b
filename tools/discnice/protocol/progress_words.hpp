// SPDX-License-Identifier: MIT
// progress_words: the words in the segment that hold a job's progress on a disk.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstring>

#include "tools/discnice/contract/job_progress.hpp"
#include "tools/discnice/protocol/layout.hpp"

namespace discnice::protocol {

/// No call takes longer or moves more. A larger number means damaged shared memory. Sums of such numbers do not overflow.
inline constexpr std::uint64_t kCallUsMax = 60'000'000;
inline constexpr std::uint64_t kCallKibMax = UINT64_C(1) << 21;

/// False for a value that cannot be a sum: not a number, below zero, or too large.
inline bool is_possible_sum(double sum) {
  constexpr double kSumMax = 1e18;
  return sum >= 0 && sum <= kSumMax;
}

/// The progress with impossible values replaced by "not known". The counts are only compared.
inline JobProgress possible(JobProgress progress) {
  for (gray::base::LineSums& sums : progress.learned) {
    const double all[] = {sums.weight, sums.x, sums.y, sums.x_squares, sums.products};
    for (const double sum : all) {
      if (!is_possible_sum(sum)) sums = {};
    }
  }
  return progress;
}

inline JobProgress load_progress(const Progress& place) {
  std::uint64_t words[kProgressWords] = {};
  for (unsigned i = 0; i < kProgressWords; ++i) words[i] = place.words[i].load(std::memory_order_relaxed);
  JobProgress progress;
  std::memcpy(&progress, words, sizeof progress);
  return possible(progress);
}

/// When two members end an interval at the same time, their words may be mixed. This causes one wrong verdict, and the next
/// verdict corrects it.
inline void store_progress(Progress& place, const JobProgress& progress) {
  std::uint64_t words[kProgressWords] = {};
  std::memcpy(words, &progress, sizeof progress);
  for (unsigned i = 0; i < kProgressWords; ++i) place.words[i].store(words[i], std::memory_order_relaxed);
}

/// Adds one call.
inline void add_call(OpenCallSums& sums, std::uint64_t kib, std::uint64_t us) {
  if (kib > kCallKibMax) kib = kCallKibMax;
  if (us > kCallUsMax) us = kCallUsMax;
  sums.calls.fetch_add(1, std::memory_order_relaxed);
  sums.kib.fetch_add(kib, std::memory_order_relaxed);
  sums.us.fetch_add(us, std::memory_order_relaxed);
  sums.kib_squares.fetch_add(kib * kib, std::memory_order_relaxed);
  sums.kib_us.fetch_add(kib * us, std::memory_order_relaxed);
}

inline CallSums look_at_calls(const OpenCallSums& sums) {
  return {sums.calls.load(std::memory_order_relaxed), sums.kib.load(std::memory_order_relaxed),
          sums.us.load(std::memory_order_relaxed), sums.kib_squares.load(std::memory_order_relaxed),
          sums.kib_us.load(std::memory_order_relaxed)};
}

inline CallSums take_calls(OpenCallSums& sums) {
  return {sums.calls.exchange(0, std::memory_order_relaxed), sums.kib.exchange(0, std::memory_order_relaxed),
          sums.us.exchange(0, std::memory_order_relaxed),
          sums.kib_squares.exchange(0, std::memory_order_relaxed),
          sums.kib_us.exchange(0, std::memory_order_relaxed)};
}

}  // namespace discnice::protocol
