// SPDX-License-Identifier: MIT
#include "tools/discnice/cli/gone_members.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <system_error>
#include <vector>

#include "tools/discnice/protocol/members.hpp"

namespace discnice::cli {
namespace {

using protocol::kCreatorsPidNamespace;
using protocol::kUnknownPidNamespace;
using protocol::ProcessId;

bool is_alive(std::uint32_t pid) {
  constexpr std::uint32_t kPidMax = 1U << 22U;  // a number above it could mean a group of processes
  return pid <= kPidMax && (kill(static_cast<pid_t>(pid), 0) == 0 || errno != ESRCH);
}

// Reads the number in a link such as "pid:[4026531836]". Returns kUnknownPidNamespace when the link may not be read.
std::uint32_t namespace_of(const std::filesystem::path& process) {
  std::error_code error;
  const std::string link = std::filesystem::read_symlink(process / "ns/pid", error).string();
  const auto digits = link.find('[');
  if (error || digits == std::string::npos) return kUnknownPidNamespace;
  return static_cast<std::uint32_t>(std::strtoul(link.c_str() + digits + 1, nullptr, 10));
}

// The last number of "NSpid: 4711 3" is the pid that the process itself sees. When the line has only one number, the process is in the namespace of
// this process. Returns a pid of 0 when the process is gone.
ProcessId identify(const std::filesystem::path& process) {
  std::ifstream file(process / "status");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("NSpid:", 0) != 0) continue;
    std::istringstream numbers(line.substr(sizeof "NSpid:" - 1));
    std::uint32_t last = 0;
    int count = 0;
    for (std::uint32_t one = 0; numbers >> one; ++count) last = one;
    return {last, count > 1 ? namespace_of(process) : kCreatorsPidNamespace};
  }
  return {0};
}

std::vector<ProcessId> processes_everywhere() {
  std::vector<ProcessId> found;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
    const std::string name = entry.path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    const ProcessId process = identify(entry.path());
    if (process.pid != 0) found.push_back(process);
  }
  return found;
}

struct Judge {
  std::uint32_t own_namespace;
  // All processes in /proc. The list is filled only when members of other namespaces must be checked.
  std::vector<ProcessId> elsewhere;

  static bool is_gone(const void* context, ProcessId process) {
    const auto& self = *static_cast<const Judge*>(context);
    if (self.own_namespace == kUnknownPidNamespace) return false;
    if (process.pid_namespace == self.own_namespace) return !is_alive(process.pid);
    if (self.own_namespace != kCreatorsPidNamespace || self.elsewhere.empty()) return false;
    return std::none_of(self.elsewhere.begin(), self.elsewhere.end(), [&](const ProcessId& one) {
      return one.pid == process.pid &&
             (one.pid_namespace == process.pid_namespace || one.pid_namespace == kUnknownPidNamespace ||
              process.pid_namespace == kUnknownPidNamespace);
    });
  }
};

}  // namespace

std::uint64_t release_gone_members(protocol::Segment& segment) {
  Judge judge{protocol::own_pid_namespace(segment), {}};
  const bool is_creators = judge.own_namespace == kCreatorsPidNamespace;
  if (is_creators && protocol::has_members_elsewhere(segment, judge.own_namespace))
    judge.elsewhere = processes_everywhere();
  return protocol::release_gone(segment, Judge::is_gone, &judge);
}

bool has_namespace_ended(std::uint32_t pid_namespace) {
  constexpr std::uint32_t kFirstPidNamespace = 0xEFFFFFFC;  // PROC_PID_INIT_INO of the kernel's proc_ns.h
  if (protocol::find_pid_namespace() != kFirstPidNamespace) return false;
  const std::vector<ProcessId> all = processes_everywhere();
  return !all.empty() && std::none_of(all.begin(), all.end(), [&](const ProcessId& one) {
    return one.pid_namespace == pid_namespace || one.pid_namespace == kUnknownPidNamespace;
  });
}

bool has_members(protocol::Segment& segment) {
  if (protocol::own_pid_namespace(segment) != kCreatorsPidNamespace) return true;
  release_gone_members(segment);
  return protocol::count_alive(segment) != 0;
}

}  // namespace discnice::cli
