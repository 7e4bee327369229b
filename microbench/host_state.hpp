// SPDX-License-Identifier: MIT
// host_state: finds whether other programs keep this host so busy that figures measured now are wrong.
//
// Knowledge assumed: the kernel's pressure figures (PSI) tell for which share of the last ten seconds some task waited for processor, disk or memory; /proc/stat counts the
// processor time of all processes. Observed: both, before and during the run, less the time of this process. Inferred: the host is busy if other programs take more than a limit.
// What breaks it: a host that hides both (it then counts as not busy), and work outside a virtual machine.
#pragma once

#include <cstdint>
#include <string>

namespace microbench {

/// If other programs use a larger share of the processors, or tasks wait for a larger part of the time, the figures do not describe the host alone.
inline constexpr double kForeignCpuShareMax = 0.15;
inline constexpr double kPressurePercentMax = 10;

/// Percent of the last ten seconds in which some task waited, from a text as in /proc/pressure/io; 0 if the text has no such figure. Pure.
double pressure_percent(const std::string& text);

/// Processor ticks of all processes, and how many of them were idle, from the first line of /proc/stat. Pure.
struct CpuTicks {
  std::uint64_t all = 0;
  std::uint64_t idle = 0;
};
CpuTicks parse_cpu_ticks(const std::string& text);

/// A phrase that tells for which resource tasks wait on this host before the measurement; empty if none waits.
std::string describe_pressure();

/// Watches the share of the processors that other programs use between the start and now.
class ForeignLoad {
 public:
  ForeignLoad();
  /// 0 to 1 of all processors; 0 if the host does not tell.
  [[nodiscard]] double cpu_share() const;

 private:
  CpuTicks start_;
  double own_start_s_ = 0;
};

}  // namespace microbench
