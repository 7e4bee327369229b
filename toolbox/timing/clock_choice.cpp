// SPDX-License-Identifier: MIT
#include "toolbox/timing/clock_choice.hpp"

#include <sys/prctl.h>

#include <fstream>

namespace gray::timing {
namespace {

constexpr const char* kSourcePath = "/sys/devices/system/clocksource/clocksource0/current_clocksource";

#if defined(__x86_64__)
constexpr Machine kMachine = Machine::kX86;
#elif defined(__aarch64__)
constexpr Machine kMachine = Machine::kArm64;
#else
constexpr Machine kMachine = Machine::kOther;
#endif

bool can_read_counter() {
#if defined(__x86_64__)
  int mode = PR_TSC_ENABLE;
  return prctl(PR_GET_TSC, &mode) != 0 || mode == PR_TSC_ENABLE;
#else
  return kMachine ==
         Machine::kArm64;  // Linux opens the virtual counter to user space on every arm64 processor
#endif
}

std::string read_flags(const std::string& path) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(':');
    if (colon != std::string::npos && line.compare(0, 5, "flags") == 0) return line.substr(colon + 1);
  }
  return "";
}

bool has_flag(const std::string& flags, const std::string& flag) {
  return (" " + flags + " ").find(" " + flag + " ") != std::string::npos;
}

ClockChoice fallback(const std::string& reason) {
  return {Clock::kMonotonicRaw, reason};
}

}  // namespace

ClockFacts read_clock_facts(const std::string& root) {
  ClockFacts facts;
  facts.machine = kMachine;
  std::ifstream source(root + kSourcePath);
  std::getline(source, facts.current_source);
  facts.cpu_flags = read_flags(root + "/proc/cpuinfo");
  facts.is_counter_readable = can_read_counter();
  return facts;
}

ClockChoice choose_clock(const ClockFacts& facts) {
  if (facts.machine == Machine::kOther) return fallback("no counter is known for this processor");
  const bool is_x86 = facts.machine == Machine::kX86;
  const std::string wanted = is_x86 ? "tsc" : "arch_sys_counter";
  if (facts.current_source.empty()) return fallback("the kernel's clock source is unknown");
  if (facts.current_source != wanted) {
    return fallback("the kernel tells time by " + facts.current_source + ", not by " + wanted);
  }
  if (!facts.is_counter_readable) return fallback("this process may not read the counter");
  // The kernel may keep a counter that stops in sleep or follows the frequency, and correct for it; we could
  // not.
  for (const char* flag : {"constant_tsc", "nonstop_tsc"}) {
    if (is_x86 && !has_flag(facts.cpu_flags, flag))
      return fallback(std::string("the processor lacks ") + flag);
  }
  return {Clock::kCounter, "the kernel itself tells time by " + wanted};
}

}  // namespace gray::timing
