// SPDX-License-Identifier: MIT
#include "tools/discnice/notify/callers.hpp"

#include <cstdlib>
#include <cstring>
#include <utility>

#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tools/discnice/processes/coverage.hpp"
#include "tools/discnice/processes/processes.hpp"

namespace discnice::notify {
namespace {

// A process may execute another program, that the library holds.
constexpr std::uint64_t kJudgedNs = 250'000'000;
constexpr std::size_t kThreadsMax = 256;

// 0: there is no such thread any more.
pid_t process_of(pid_t thread) {
  constexpr char kField[] = "\nTgid:";
  const std::string status = processes::read_proc(thread, "status");
  const auto at = status.find(kField);
  return at == std::string::npos ? 0 : std::atoi(status.c_str() + at + std::strlen(kField));
}

bool has_ended(int process) {
  pollfd end{process, POLLIN, 0};
  return poll(&end, 1, 0) != 0;
}

}  // namespace

Callers::Callers(const protocol::Segment& segment, std::string preloaded_name)
    : segment_(segment), preloaded_name_(std::move(preloaded_name)) {}

void Callers::judge(Caller& caller, std::uint64_t now_ns) const {
  caller.judged_at_ns = now_ns;
  caller.is_ours = !processes::is_left_alone(segment_, processes::program_name_of(caller.pid)) &&
                   !processes::coverage_of(caller.pid, preloaded_name_).is_covered;
}

// Numbers are given anew when the kernel has come to the last one.
const Caller* Callers::find(pid_t thread, std::uint64_t now_ns) {
  const auto known = processes_.find(thread);
  pid_t pid = known == processes_.end() ? 0 : known->second;
  if (pid == 0 || syscall(SYS_tgkill, pid, thread, 0) != 0) {
    forget_ended();
    pid = process_of(thread);
    if (pid == 0) return nullptr;
    processes_[thread] = pid;
  }
  Caller& caller = callers_[pid];
  if (!caller.process.is_open()) {
    caller.pid = pid;
    caller.process.reset(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
    if (!caller.process.is_open()) return nullptr;
  }
  if (caller.judged_at_ns == 0 || now_ns - caller.judged_at_ns >= kJudgedNs) judge(caller, now_ns);
  return caller.is_ours ? &caller : nullptr;
}

void Callers::forget_ended() {
  for (auto one = callers_.begin(); one != callers_.end();)
    one = !one->second.process.is_open() || has_ended(one->second.process.get()) ? callers_.erase(one)
                                                                                 : std::next(one);
  if (processes_.size() > kThreadsMax) processes_.clear();
}

gray::base::ScopedFd Callers::file_of(const Caller& caller, int fd) {
  return gray::base::ScopedFd(static_cast<int>(syscall(SYS_pidfd_getfd, caller.process.get(), fd, 0)));
}

}  // namespace discnice::notify
