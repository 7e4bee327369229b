// SPDX-License-Identifier: MIT
#include "tools/discnice/processes/process_facts.hpp"

#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <ctime>

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

namespace discnice::processes {
namespace {

constexpr std::uint64_t kNanosecondsPerSecond = 1'000'000'000;

std::uint64_t clock_ns(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * kNanosecondsPerSecond +
         static_cast<std::uint64_t>(now.tv_nsec);
}

}  // namespace

std::string read_proc(const std::string& path) {
  constexpr std::size_t kPieceBytes = 32768;
  std::string content;
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return content;
  ssize_t length = 0;
  do {
    const std::size_t before = content.size();
    content.resize(before + kPieceBytes);
    length = read(fd, content.data() + before, kPieceBytes);
    content.resize(before + (length > 0 ? static_cast<std::size_t>(length) : 0));
  } while (length > 0);
  close(fd);
  return content;
}

std::optional<ProcessFacts> read_facts(const std::string& stat, const std::string& status, long ticks_per_s) {
  // A program may have given itself any name, even one with parentheses. The text behind the last parenthesis is the kernel's own.
  const std::size_t name_end = stat.rfind(')');
  const std::size_t users = status.find("\nUid:");
  if (name_end == std::string::npos || users == std::string::npos || ticks_per_s <= 0) return std::nullopt;
  char state = 0;
  std::uint64_t started_ticks = 0;
  const int fields =
      std::sscanf(stat.c_str() + name_end + 1,
                  " %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %" SCNu64,
                  &state, &started_ticks);
  unsigned user = 0;
  if (fields != 2 || std::sscanf(status.c_str() + users, " Uid: %*u %u", &user) != 1) return std::nullopt;
  if (state == 'Z' || state == 'X') return std::nullopt;
  const auto ticks = static_cast<std::uint64_t>(ticks_per_s);
  return ProcessFacts{user, started_ticks / ticks * kNanosecondsPerSecond +
                                started_ticks % ticks * kNanosecondsPerSecond / ticks};
}

std::optional<ProcessFacts> facts_of(std::uint64_t pid) {
  return read_facts(read_proc(fmt::format("/proc/{}/stat", pid)),
                    read_proc(fmt::format("/proc/{}/status", pid)), sysconf(_SC_CLK_TCK));
}

std::optional<PageFaults> read_page_faults(const std::string& stat) {
  const std::size_t name_end = stat.rfind(')');
  if (name_end == std::string::npos) return std::nullopt;
  PageFaults faults;
  std::uint64_t from_disk = 0;
  const int fields = std::sscanf(stat.c_str() + name_end + 1,
                                 " %*c %*d %*d %*d %*d %*d %*u %" SCNu64 " %" SCNu64 " %" SCNu64, &faults.own,
                                 &faults.of_ended_children, &from_disk);
  if (fields != 3) return std::nullopt;
  faults.own += from_disk;
  return faults;
}

std::optional<PageFaults> page_faults_of(std::uint64_t pid) {
  return read_page_faults(read_proc(fmt::format("/proc/{}/stat", pid)));
}

bool is_own_since(std::uint64_t pid, std::uint64_t at_ns) {
  const auto facts = facts_of(pid);
  if (!facts || facts->user != geteuid()) return false;
  const std::uint64_t slept_ns = clock_ns(CLOCK_BOOTTIME) - clock_ns(CLOCK_MONOTONIC);
  return facts->started_at_ns <= at_ns + slept_ns;
}

}  // namespace discnice::processes
