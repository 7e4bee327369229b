// SPDX-License-Identifier: MIT
#include "tools/gb-wss/shortage.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <set>
#include <string>

namespace gb_wss {
namespace {

// Memory is scarce if less than 1/kLittleShare of the host's memory is available.
constexpr std::uint64_t kLittleShare = 8;
constexpr char kUnified[] = "0::";  // of /proc/PID/cgroup
constexpr char kGroups[] = "/sys/fs/cgroup";

double some_percent(const std::string& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  double percent = 0;
  return std::sscanf(line.c_str(), "some avg10=%lf", &percent) == 1 ? percent : 0;
}

bool is_little_available() {
  std::ifstream in("/proc/meminfo");
  std::uint64_t total_kib = 0;
  std::uint64_t available_kib = 0;
  std::string unit;
  for (std::string key; in >> key;) {
    if (key == "MemTotal:") in >> total_kib;
    if (key == "MemAvailable:") in >> available_kib;
    std::getline(in, unit);
  }
  return available_kib < total_kib / kLittleShare;
}

// The process's control group of version 2; only this version reports pressure for groups.
std::string group_of(pid_t pid) {
  std::ifstream in("/proc/" + std::to_string(pid) + "/cgroup");
  for (std::string line; std::getline(in, line);) {
    if (line.rfind(kUnified, 0) == 0) return line.substr(sizeof kUnified - 1);
  }
  return "";
}

}  // namespace

double waited_percent(const std::vector<pid_t>& pids) {
  double percent = is_little_available() ? some_percent("/proc/pressure/memory") : 0;
  std::set<std::string> groups;
  for (const pid_t pid : pids) groups.insert(group_of(pid));
  for (const std::string& group : groups) {
    if (group.size() > 1) percent = std::max(percent, some_percent(kGroups + group + "/memory.pressure"));
  }
  return percent;
}

}  // namespace gb_wss
