// SPDX-License-Identifier: MIT
// sampler: measures the curves of many processes at the same time.
//
// In a window, the marks of all processes are cleared. Then the marks of each are read at times that double. A process that begins during the window counts
// from its next reading on, because it has touched all its memory within the window. A process that ends drops out. The curves of several windows are averaged.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include <gray/working_set.h>

#include "tools/gb-wss/options.hpp"

namespace gb_wss {

/// The memory touched within a time, as a mean over the windows that lasted at least this time.
struct Point {
  std::uint64_t since_ns = 0;
  std::uint64_t touched_bytes = 0;
};

struct Process {
  pid_t pid = 0;
  std::string name;
  std::vector<Point> curve;  ///< empty: the process could not be watched, or did not exist at a clearing
  /// The figures of the last reading. cost_ns is for the last window, and `doubts` contains the doubts of all readings.
  struct gb_working_set_sample last {};
  gb_status_t error = 0;  ///< why the process could not be watched
  bool has_ended = false;
};

struct Sampling {
  std::vector<Process> processes;
  /// The sum over all processes: a page that n processes map counts as an nth of a page for each.
  std::vector<Point> curve;
  /// The resident memory of all processes at the last reading, counted in the same way.
  std::uint64_t resident_bytes = 0;
  std::uint64_t span_ns = 0;  ///< the planned length of a window
  bool is_stretched = false;  ///< whether it is longer than the usual time, to limit the cost
  bool is_ended_early = false;
};

/// Makes the whole measurement and shows its progress. Blocks until the end; SIGINT or SIGTERM ends it early, with the results so far. Call it once in a process.
Sampling sample(const Options& options);

/// The times of the looks: each time is twice the time before, and the last time is `span_ns`. Pure.
std::vector<std::uint64_t> look_times(std::uint64_t span_ns, std::size_t looks);

/// The length of a window: the requested time. Without a request, the usual ten seconds, or longer, so that a clearing and `looks` readings of `look_ns` each
/// take no more than a hundredth of it. Pure.
std::uint64_t span_for(std::uint64_t asked_ns, std::uint64_t look_ns, std::size_t looks);

}  // namespace gb_wss
