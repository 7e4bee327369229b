// SPDX-License-Identifier: MIT
// split: turns one rate into the kernel's separate limits for the reads and the writes of each disk, so that their sum keeps to the rate. Pure.
//
// Knowledge assumed: io.max has a limit for the reads and a limit for the writes of each disk. It has no limit for their sum.
// Output observed: the bytes that each of these has moved lately (io.stat).
// Inference drawn: a flow that moved nearly as much as its limit wants more. Each of the other flows wants as much as it moved. The flows that want more
//   share the rest of the rate. Each flow may use the rate that no other flow uses, so a job that only reads has the whole rate. When two flows begin at
//   once, more than the rate moves until the next look. That excess is noted and made up for. A program that reads, then writes, then reads waits for one
//   limit after the other, so the sum stays below the rate. Then the limits rise until the sum reaches the rate.
#pragma once

#include <cstddef>
#include <cstdint>

namespace discnice::cgroup {

/// The reads or the writes of one disk.
struct Flow {
  double used_bytes_per_s = 0;  // lately: the mean over some looks
  double last_bytes_per_s = 0;  // since the last look
  std::uint64_t limit_bytes_per_s = 0;
};

/// Notes the bytes that the flow has moved since the last look, `passed_s` ago.
void note(Flow& flow, double bytes_per_s, double passed_s);

/// The bytes that were moved beyond a rate. A negative number means that less than the rate was moved.
class Excess {
 public:
  /// Adds `moved_bytes` that were moved in `duration_s`.
  void add(double moved_bytes, double duration_s, std::uint64_t rate_bytes_per_s);
  void forget() { bytes_ = 0; }
  /// The rate from now on, which makes up for the excess.
  [[nodiscard]] std::uint64_t made_up(std::uint64_t rate_bytes_per_s) const;

 private:
  double bytes_ = 0;
};

/// The factor by which the sum of the limits is above the rate. Flows that wait for one another reach the rate
/// only with such a factor.
class Boost {
 public:
  /// Notes the bytes that were moved lately. `active` is the number of flows that moved anything, and `passed_s` is the time since the
  /// last look.
  void add(double used_bytes_per_s, std::size_t active, std::uint64_t rate_bytes_per_s, double passed_s);
  void forget() { factor_ = 1; }
  [[nodiscard]] std::uint64_t of(std::uint64_t rate_bytes_per_s) const {
    return static_cast<std::uint64_t>(factor_ * static_cast<double>(rate_bytes_per_s));
  }

 private:
  double factor_ = 1;
};

/// The most flows that can be told apart at once.
inline constexpr std::size_t kFlowsMax = 32;

/// Sets the limit of each flow: together `sum_bytes_per_s`, and each at most the rate. `count` is at most kFlowsMax.
void split(std::uint64_t sum_bytes_per_s, std::uint64_t rate_bytes_per_s, Flow* flows, std::size_t count);

}  // namespace discnice::cgroup
