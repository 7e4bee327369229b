// SPDX-License-Identifier: MIT
// host_state: tells whether other programs keep this host busy, so that measured figures are not the host's own.
//
// Knowledge assumed: the kernel's pressure figures (PSI) say which share of the last ten seconds somebody
// waited for processor, disk or memory; /proc/stat counts the processor time of all. Observed: both, before
// and during the run, less what this process used itself. Inferred: busy when others take more than a share.
// What breaks it: a host that hides both (then nothing is said), and work outside a virtual machine.
#pragma once

#include <cstdint>
#include <string>

namespace microbench {

/// If others use this part of the processors, or wait this much, the figures are not the host's own.
inline constexpr double kForeignCpuShareMax = 0.15;
inline constexpr double kPressurePercentMax = 10;

/// Percent of the last ten seconds in which some task waited, from a text as in /proc/pressure/io; 0 where
/// the text says nothing. Pure.
double pressure_percent(const std::string& text);

/// Processor ticks of everybody, and of those how many idle, from the first line of /proc/stat. Pure.
struct CpuTicks {
  std::uint64_t all = 0;
  std::uint64_t idle = 0;
};
CpuTicks parse_cpu_ticks(const std::string& text);

/// Whether anything waits on this host before the measurement: one phrase, or empty if nothing does.
std::string describe_pressure();

/// Watches the share of the processors that other programs use between the start and now.
class ForeignLoad {
 public:
  ForeignLoad();
  /// From 0 to 1 of all processors; 0 if the host does not tell.
  [[nodiscard]] double cpu_share() const;

 private:
  CpuTicks start_;
  double own_start_s_ = 0;
};

}  // namespace microbench
