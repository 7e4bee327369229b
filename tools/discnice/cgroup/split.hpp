// SPDX-License-Identifier: MIT
// split: one rate as the kernel's separate limits of reads and writes of each disk, so that their sum keeps to it. Pure.
//
// Knowledge assumed: io.max has a limit for what is read and one for what is written of each disk, and none for the sum.
// Output observed: what each of these has moved lately (io.stat).
// Inference drawn: one that moved nearly as much as its limit wants more; the others want what they moved. Whoever wants more shares what the others leave. What nobody
//   uses each may use, so a job that only reads has all of it. When two begin at once, more than the rate moves until the next look; that is noted and taken back. A program that reads,
//   then writes, then reads waits for one limit after the other, so the sum falls short of the rate. The limits rise then, until it does not.
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

/// One more look: what the flow has moved since the last one, so long ago.
void note(Flow& flow, double bytes_per_s, double passed_s);

/// Of a rate, what was moved beyond it, in bytes; below zero what was left.
class Excess {
 public:
  /// `moved_bytes` in `duration_s`.
  void add(double moved_bytes, double duration_s, std::uint64_t rate_bytes_per_s);
  void forget() { bytes_ = 0; }
  /// The rate from now on, so that what was too much is made up for.
  [[nodiscard]] std::uint64_t made_up(std::uint64_t rate_bytes_per_s) const;

 private:
  double bytes_ = 0;
};

/// By how much the limits together are to be above the rate, so that flows that wait for one another move as much as that.
class Boost {
 public:
  /// What was moved lately, by so many flows that moved anything; so long after the last look.
  void add(double used_bytes_per_s, std::size_t active, std::uint64_t rate_bytes_per_s, double passed_s);
  void forget() { factor_ = 1; }
  [[nodiscard]] std::uint64_t of(std::uint64_t rate_bytes_per_s) const {
    return static_cast<std::uint64_t>(factor_ * static_cast<double>(rate_bytes_per_s));
  }

 private:
  double factor_ = 1;
};

/// How many flows can be told apart at once.
inline constexpr std::size_t kFlowsMax = 32;

/// Sets the limit of each flow: together `sum_bytes_per_s`, each the rate at the most. `count` is kFlowsMax at the most.
void split(std::uint64_t sum_bytes_per_s, std::uint64_t rate_bytes_per_s, Flow* flows, std::size_t count);

}  // namespace discnice::cgroup
