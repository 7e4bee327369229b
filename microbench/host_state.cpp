// SPDX-License-Identifier: MIT
#include "microbench/host_state.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include <fmt/core.h>

namespace microbench {
namespace {

std::string read_text(const char* path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

double own_cpu_s() {
  rusage usage{};
  if (getrusage(RUSAGE_SELF, &usage) != 0) return 0;
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

}  // namespace

double pressure_percent(const std::string& text) {
  const std::size_t some = text.find("some avg10=");
  if (some == std::string::npos) return 0;
  return std::strtod(text.c_str() + some + std::string("some avg10=").size(), nullptr);
}

CpuTicks parse_cpu_ticks(const std::string& text) {
  std::istringstream words(text.substr(0, text.find('\n')));
  std::string name;
  words >> name;
  CpuTicks ticks;
  if (name != "cpu") return ticks;
  std::uint64_t value = 0;
  // user nice system idle iowait irq softirq steal; guest time is in user already
  for (int field = 0; field < 8 && words >> value; ++field) {
    ticks.all += value;
    if (field == 3 || field == 4) ticks.idle += value;
  }
  return ticks;
}

std::string describe_pressure() {
  std::string phrase;
  for (const char* what : {"cpu", "io", "memory"}) {
    const double percent = pressure_percent(read_text(fmt::format("/proc/pressure/{}", what).c_str()));
    if (percent <= kPressurePercentMax) continue;
    phrase += fmt::format("{}{:.0f} % of the time something waits for {}", phrase.empty() ? "" : ", ",
                          percent, what);
  }
  return phrase;
}

ForeignLoad::ForeignLoad() : start_(parse_cpu_ticks(read_text("/proc/stat"))), own_start_s_(own_cpu_s()) {}

double ForeignLoad::cpu_share() const {
  const CpuTicks now = parse_cpu_ticks(read_text("/proc/stat"));
  if (now.all <= start_.all) return 0;
  const double ticks_per_s = static_cast<double>(sysconf(_SC_CLK_TCK));
  const double all_s = static_cast<double>(now.all - start_.all) / ticks_per_s;
  const double idle_s = static_cast<double>(now.idle - start_.idle) / ticks_per_s;
  const double foreign_s = all_s - idle_s - (own_cpu_s() - own_start_s_);
  return std::clamp(foreign_s / all_s, 0.0, 1.0);
}

}  // namespace microbench
