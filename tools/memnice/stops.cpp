// SPDX-License-Identifier: MIT
#include "tools/memnice/stops.hpp"

#include <sys/mman.h>

#include <csignal>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>

namespace memnice {
namespace {

constexpr std::size_t kStopsMax = 32768;  // the number of process numbers that Linux has by default
constexpr int kBeganField = 22;           // the field `starttime` of /proc/PID/stat, see proc_pid_stat(5)

// One stopped process. Its number may later belong to another process; the start time tells the two apart.
struct Stop {
  pid_t pid;  // 0: the place is free
  std::uint64_t began_ticks;
};

Stop* stops = nullptr;

struct Seen {
  char state = 'X';
  std::uint64_t began_ticks = 0;
};

Seen see(pid_t pid) {
  std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
  std::string line;
  std::getline(stat, line);
  const std::size_t name_end = line.rfind(')');
  Seen seen;
  if (name_end == std::string::npos) return seen;
  std::istringstream rest(line.substr(name_end + 1));
  rest >> seen.state;
  std::string passed;
  for (int field = 4; field < kBeganField; ++field) rest >> passed;
  rest >> seen.began_ticks;
  return seen;
}

Stop* find(pid_t pid) {
  for (std::size_t i = 0; stops != nullptr && i < kStopsMax; ++i) {
    if (stops[i].pid == pid) return &stops[i];
  }
  return nullptr;
}

void let_go_on(Stop& stop) {
  if (see(stop.pid).began_ticks == stop.began_ticks) kill(stop.pid, SIGCONT);
  stop.pid = 0;
}

}  // namespace

char state_of(pid_t pid) {
  return see(pid).state;
}

bool share_stops() {
  void* shared =
      mmap(nullptr, kStopsMax * sizeof(Stop), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return false;
  stops = static_cast<Stop*>(shared);
  return true;
}

std::vector<pid_t> stop_running(const std::vector<pid_t>& pids) {
  std::vector<pid_t> stopped;
  for (const pid_t pid : pids) {
    const Seen seen = see(pid);
    if (seen.state == 'T' || seen.state == 't' || seen.state == 'X') continue;
    Stop* stop = find(pid);
    if (stop == nullptr) stop = find(0);
    if (stop == nullptr) break;
    // The process is entered before it is stopped. If memnice is killed in between, the guard continues a running process, which is harmless.
    stop->began_ticks = seen.began_ticks;
    stop->pid = pid;
    if (kill(pid, SIGSTOP) == 0)
      stopped.push_back(pid);
    else
      stop->pid = 0;
  }
  return stopped;
}

void let_go_on(const std::vector<pid_t>& pids) {
  for (auto pid = pids.rbegin(); pid != pids.rend(); ++pid) {
    if (Stop* stop = find(*pid)) let_go_on(*stop);
  }
}

void let_all_go_on() {
  for (std::size_t i = 0; stops != nullptr && i < kStopsMax; ++i) {
    if (stops[i].pid != 0) let_go_on(stops[i]);
  }
}

}  // namespace memnice
