// SPDX-License-Identifier: MIT
#include "tools/discnice/cli/place_facts.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <sstream>
#include <string_view>

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/sysmacros.h>

#include "toolbox/base/fd.hpp"
#include "tools/discnice/outputs/disk_below.hpp"
#include "tools/discnice/outputs/disk_counters.hpp"
#include "tools/discnice/outputs/io_pressure.hpp"

namespace discnice::cli {
namespace {

constexpr std::array<std::string_view, 9> kInMemory = {"tmpfs",   "ramfs",   "proc",      "sysfs", "devtmpfs",
                                                       "cgroup2", "debugfs", "hugetlbfs", "devpts"};

std::uint64_t disk_below_path(const std::string& path) {
  const gray::base::ScopedFd file(open(path.c_str(), O_PATH | O_CLOEXEC));
  std::uint64_t mount_id = 0;
  const bool is_known = file.is_open() && outputs::find_mount_id(file.get(), &mount_id);
  return is_known ? outputs::disk_below(mount_id) : 0;
}

void find_others(const std::string& path, PlaceFacts& facts) {
  std::uint64_t stalled_ns = 0;
  facts.disk = outputs::counted_disk(facts.device);
  facts.others = OthersSeenBy::counters;
  if (facts.disk != 0) return;
  facts.disk = disk_below_path(path);
  facts.others = OthersSeenBy::disk_below;
  if (facts.disk != 0) return;
  facts.others = outputs::read_io_pressure(&stalled_ns) ? OthersSeenBy::pressure : OthersSeenBy::progress;
}

}  // namespace

std::string file_system_type(const std::string& mountinfo, unsigned major_number, unsigned minor_number) {
  const std::string wanted = fmt::format("{}:{}", major_number, minor_number);
  std::istringstream lines(mountinfo);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string number;
    std::string parent;
    std::string device;
    words >> number >> parent >> device;
    const auto dash = line.find(" - ");
    if (device != wanted || dash == std::string::npos) continue;
    return line.substr(dash + 3, line.find(' ', dash + 3) - dash - 3);
  }
  return "";
}

std::string read_mounts() {
  std::ifstream file("/proc/self/mountinfo");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string number_text(std::uint64_t device) {
  return fmt::format("{}:{}", major(device), minor(device));
}

PlaceFacts facts_of_place(const std::string& path, dev_t device, const std::string& mounts) {
  PlaceFacts facts;
  facts.device = device;
  facts.type = file_system_type(mounts, major(device), minor(device));
  facts.is_in_memory = std::find(kInMemory.begin(), kInMemory.end(), facts.type) != kInMemory.end();
  if (!facts.is_in_memory) find_others(path, facts);
  return facts;
}

}  // namespace discnice::cli
