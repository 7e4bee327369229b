// SPDX-License-Identifier: MIT
#include "tools/discnice/processes/orphans.hpp"

#include <algorithm>
#include <mutex>

#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/discnice/processes/processes.hpp"

namespace discnice::processes {
namespace {

constexpr std::uint64_t kBlockBytes = 512;  // of getrusage(2)

// The processes that do not belong to the job. A helper is known as such as soon as any other thread can see it.
struct Others {
  std::mutex mutex;
  std::vector<pid_t> pids;
  bool may_be_more = false;
  std::string variable;  // that one of the job has
  std::string value;

  [[nodiscard]] bool has(pid_t pid) const {
    return std::find(pids.begin(), pids.end(), pid) != pids.end() ||
           (may_be_more && variable_of(environment_of(pid), variable) != value);
  }
};

Others& others() {
  static Others all;
  return all;
}

bool has_ended(idtype_t type, pid_t pid) {
  siginfo_t news{};
  return waitid(type, static_cast<id_t>(pid), &news, WEXITED | WNOWAIT | WNOHANG) == 0 && news.si_pid != 0;
}

}  // namespace

void take_orphans(const std::string& variable, const std::string& value) {
  const std::lock_guard lock(others().mutex);
  const std::vector<pid_t> before = children_of_first_thread(getpid());
  const auto known = others().pids.size();
  for (const pid_t pid : before)
    if (!others().has(pid)) others().pids.push_back(pid);
  others().may_be_more = others().pids.size() != known || getpid() == 1;
  others().variable = variable;
  others().value = value;
  prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
}

pid_t fork_helper() {
  const std::lock_guard lock(others().mutex);
  const pid_t pid = fork();
  if (pid > 0) others().pids.push_back(pid);
  return pid;
}

std::vector<pid_t> orphans(pid_t program) {
  const std::lock_guard lock(others().mutex);
  std::vector<pid_t> found = children_of_first_thread(getpid());
  const auto is_none = [program](pid_t pid) { return pid == program || others().has(pid); };
  found.erase(std::remove_if(found.begin(), found.end(), is_none), found.end());
  return found;
}

pid_t ended_orphan(pid_t program) {
  if (!has_ended(P_ALL, 0)) return 0;
  for (const pid_t pid : orphans(program))
    if (has_ended(P_PID, pid)) return pid;
  return 0;
}

KernelAccount wait_for_ended(pid_t pid) {
  const auto account = account_of(pid);
  rusage used{};
  if (wait4(pid, nullptr, WNOHANG, &used) != pid) return {};
  if (account) return *account;
  KernelAccount counted;
  counted.read_bytes = static_cast<std::uint64_t>(used.ru_inblock) * kBlockBytes;
  counted.write_bytes = static_cast<std::uint64_t>(used.ru_oublock) * kBlockBytes;
  return counted;
}

}  // namespace discnice::processes
