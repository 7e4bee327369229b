// SPDX-License-Identifier: MIT
// split: divides one rate into the kernel's separate limits for reads and writes of each disk, so that their sum keeps to the rate. Pure.
//
// Knowledge assumed: io.max has a limit for what is read and one for what is written of each disk, and none for the sum.
// Output observed: what each of these has moved lately (io.stat).
// Inference drawn: a flow that moved nearly as much as its limit wants more; the other flows want what they moved. The flows that want more share the rest. A part of the rate
// that no flow uses is open to every flow, so a job that only reads has the whole rate. When two flows begin at once, they move more than the rate until the next look; this is
// noted and taken back. A program that reads and writes by turns waits for one limit after the other, so the sum stays below the rate. Then the limits rise until the sum reaches
// the rate.
#pragma once

#include <cstddef>
#include <cstdint>

namespace discnice::cgroup {

/// Reads or writes of one disk.
struct Flow {
  double used_bytes_per_s = 0;  // lately: the mean over some looks
  double last_bytes_per_s = 0;  // since the last look
  std::uint64_t limit_bytes_per_s = 0;
};

/// Notes one more look: how much the flow has moved since the last look, and how long ago that was.
void note(Flow& flow, double bytes_per_s, double passed_s);

/// How many bytes were moved beyond a rate; below zero if fewer were moved.
class Excess {
 public:
  /// `moved_bytes` in `duration_s`.
  void add(double moved_bytes, double duration_s, std::uint64_t rate_bytes_per_s);
  void forget() { bytes_ = 0; }
  /// The rate from now on, so that the surplus is made up for.
  [[nodiscard]] std::uint64_t made_up(std::uint64_t rate_bytes_per_s) const;

 private:
  double bytes_ = 0;
};

/// By how much the limits together must be above the rate, so that flows that wait for one another move as much as the rate.
class Boost {
 public:
  /// Notes how much was moved lately, how many flows moved anything, and how long ago the last look was.
  void add(double used_bytes_per_s, std::size_t active, std::uint64_t rate_bytes_per_s, double passed_s);
  void forget() { factor_ = 1; }
  [[nodiscard]] std::uint64_t of(std::uint64_t rate_bytes_per_s) const {
    return static_cast<std::uint64_t>(factor_ * static_cast<double>(rate_bytes_per_s));
  }

 private:
  double factor_ = 1;
};

/// How many flows can be distinguished at once.
inline constexpr std::size_t kFlowsMax = 32;

/// Sets the limit of each flow. The limits add up to `sum_bytes_per_s`; no limit is above the rate. `count` is at most kFlowsMax.
void split(std::uint64_t sum_bytes_per_s, std::uint64_t rate_bytes_per_s, Flow* flows, std::size_t count);

}  // namespace discnice::cgroup
