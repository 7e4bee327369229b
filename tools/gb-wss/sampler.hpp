// SPDX-License-Identifier: MIT
// sampler: takes the curves of many processes at the same time.
//
// A window: the marks of all are taken away, then each is looked at at times that double. A process that begins meanwhile counts from its next look on: all that it has touched
// it has touched within the window. One that ends drops out. The curves of several windows are averaged.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include <gray/working_set.h>

#include "tools/gb-wss/options.hpp"

namespace gb_wss {

/// How much was touched within a time: the means over those windows that reached it.
struct Point {
  std::uint64_t since_ns = 0;
  std::uint64_t touched_bytes = 0;
};

struct Process {
  pid_t pid = 0;
  std::string name;
  std::vector<Point> curve;  ///< empty: it could not be watched, or was not there at a clearing
  /// The values of the last look. cost_ns is that of the last window, doubts are those of all looks.
  struct gb_working_set_sample last {};
  gb_status_t error = 0;  ///< why it could not be watched
  bool has_ended = false;
};

struct Sampling {
  std::vector<Process> processes;
  std::vector<Point> curve;  ///< of all together: a page that n processes map counts as an nth of a page each
  std::uint64_t resident_bytes = 0;  ///< of all at the last look, so counted
  std::uint64_t span_ns = 0;         ///< the longest time that was meant
  bool is_stretched = false;         ///< beyond the usual time, for the cost's sake
  bool is_ended_early = false;
};

/// Does all of it and shows its progress. Blocks for the whole time; SIGINT or SIGTERM ends it early, with what is known then. Once in a process.
Sampling sample(const Options& options);

/// This many times, each twice the one before; the last one is `span_ns`. Pure.
std::vector<std::uint64_t> look_times(std::uint64_t span_ns, std::size_t looks);

/// The time to look at: that asked for; else the usual ten seconds, or as long as keeps a clearing and `looks` looks of `look_ns` each within a hundredth of it. Pure.
std::uint64_t span_for(std::uint64_t asked_ns, std::uint64_t look_ns, std::size_t looks);

}  // namespace gb_wss
