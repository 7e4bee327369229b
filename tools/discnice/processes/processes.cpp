// SPDX-License-Identifier: MIT
#include "tools/discnice/processes/processes.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <system_error>
#include <utility>

#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/discnice/processes/process_facts.hpp"

namespace discnice::processes {
namespace {

constexpr std::size_t kProcessesMax = 65536;

// The words in the line of /proc/PID/status that begins with `key`.
std::vector<std::string> words_of(const std::string& status, const std::string& key) {
  std::vector<std::string> words;
  const auto at = status.find("\n" + key);
  if (at == std::string::npos) return words;
  const auto start = at + 1 + key.size();
  std::istringstream line(status.substr(start, status.find('\n', start) - start));
  for (std::string word; line >> word;) words.push_back(word);
  return words;
}

// A set of signals in /proc/PID/status; empty when there is no such line.
std::uint64_t signals_of(const std::string& status, const std::string& key) {
  const auto words = words_of(status, key);
  return words.empty() ? 0 : std::strtoull(words.front().c_str(), nullptr, 16);
}

std::vector<pid_t> children_of_thread(pid_t pid, pid_t thread) {
  std::vector<pid_t> found;
  std::istringstream children(read_proc(fmt::format("/proc/{}/task/{}/children", pid, thread)));
  for (pid_t child = 0; children >> child;) found.push_back(child);
  return found;
}

}  // namespace

std::string read_proc(pid_t pid, const char* file) {
  return read_proc(fmt::format("/proc/{}/{}", pid, file));
}

std::string program_name_of(pid_t pid) {
  std::string name = read_proc(pid, "comm");
  if (!name.empty() && name.back() == '\n') name.pop_back();
  return name;
}

std::string image_of(pid_t pid) {
  return read_proc(pid, "auxv");
}

std::vector<pid_t> threads_of(pid_t pid) {
  constexpr nlink_t kLinksOfOneThread =
      3;  // proc_task_getattr() of fs/proc/base.c: two, and one for each thread
  const std::string folder = fmt::format("/proc/{}/task", pid);
  struct stat status {};
  if (stat(folder.c_str(), &status) == 0 && status.st_nlink == kLinksOfOneThread) return {pid};
  std::vector<pid_t> threads;
  std::error_code error;
  for (const auto& thread : std::filesystem::directory_iterator(folder, error))
    threads.push_back(static_cast<pid_t>(std::atoi(thread.path().filename().c_str())));
  return threads;
}

std::vector<Descendant> descendants_of(pid_t pid) {
  std::vector<Descendant> found{{pid, 0}};
  for (std::size_t i = 0; i < found.size() && found.size() < kProcessesMax; ++i) {
    const pid_t parent = found[i].pid;
    for (const pid_t thread : threads_of(parent)) {
      for (const pid_t child : children_of_thread(parent, thread)) found.push_back({child, parent});
    }
  }
  return found;
}

std::vector<pid_t> processes_below(pid_t pid) {
  std::vector<pid_t> found;
  for (const Descendant& one : descendants_of(pid)) found.push_back(one.pid);
  return found;
}

// The kernel may leave a child out of the list while the parent waits for another child (get_children_pid() of fs/proc/array.c). The next
// answer then differs.
std::vector<pid_t> children_of_first_thread(pid_t pid) {
  constexpr int kAnswersMax = 8;
  std::vector<pid_t> children = children_of_thread(pid, pid);
  for (int answers = 1; answers < kAnswersMax; ++answers) {
    std::vector<pid_t> again = children_of_thread(pid, pid);
    if (again == children) break;
    children = std::move(again);
  }
  return children;
}

pid_t parent_of(pid_t pid) {
  const auto parent = words_of(read_proc(pid, "status"), "PPid:");
  return parent.empty() ? 0 : static_cast<pid_t>(std::atoi(parent.front().c_str()));
}

std::vector<pid_t> processes_above(pid_t pid) {
  std::vector<pid_t> found;
  while (found.size() < kProcessesMax && (pid = parent_of(pid)) != 0) found.push_back(pid);
  return found;
}

bool is_older_than_we_are(pid_t pid) {
  const auto own = facts_of(static_cast<std::uint64_t>(getpid()));
  const auto other = facts_of(static_cast<std::uint64_t>(pid));
  return own && other && other->started_at_ns < own->started_at_ns;
}

std::string environment_of(pid_t pid) {
  return read_proc(pid, "environ");
}

std::string variable_of(const std::string& environment, const std::string& name) {
  const std::string all = std::string(1, '\0') + environment;
  const std::string start = std::string(1, '\0') + name + "=";
  const auto at = all.find(start);
  return at == std::string::npos ? "" : std::string(all.c_str() + at + start.size());
}

bool read_identity(pid_t pid, Identity& identity) {
  constexpr std::size_t kEffective = 1;  // the second of: real, effective, saved, of the file system
  const std::string status = read_proc(pid, "status");
  const auto users = words_of(status, "Uid:");
  if (users.size() <= kEffective) return false;
  identity.user = static_cast<uid_t>(std::strtoul(users[kEffective].c_str(), nullptr, 10));
  identity.is_in_own_pid_space =
      words_of(status, "NSpid:").size() > words_of(read_proc(getpid(), "status"), "NSpid:").size();
  return true;
}

bool is_traced(pid_t pid) {
  const auto tracer = words_of(read_proc(pid, "status"), "TracerPid:");
  return !tracer.empty() && tracer.front() != "0";
}

// Only a thread of the kernel, and a process that has ended, have no memory of their own.
bool is_of_kernel(pid_t pid) {
  const std::string status = read_proc(pid, "status");
  return !status.empty() && status.find("\nVmSize:") == std::string::npos &&
         status.find("\nState:\tZ") == std::string::npos;
}

bool serves_files(pid_t pid) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(fmt::format("/proc/{}/fd", pid), error))
    if (std::filesystem::read_symlink(entry.path(), error) == "/dev/fuse") return true;
  return false;
}

std::uint64_t waiting_signals(pid_t pid) {
  const std::string status = read_proc(pid, "status");
  const std::uint64_t waiting = signals_of(status, "SigPnd:") | signals_of(status, "ShdPnd:");
  return waiting & ~signals_of(status, "SigBlk:") & ~signals_of(status, "SigIgn:");
}

}  // namespace discnice::processes
