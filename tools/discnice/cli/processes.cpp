// SPDX-License-Identifier: MIT
#include "tools/discnice/cli/processes.hpp"

#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <system_error>

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/discnice/cli/process_facts.hpp"

namespace discnice::cli {
namespace {

constexpr std::size_t kProcessesMax = 65536;

// The words of the line of /proc/PID/status that begins with `key`.
std::vector<std::string> words_of(const std::string& status, const std::string& key) {
  std::vector<std::string> words;
  const auto at = status.find("\n" + key);
  if (at == std::string::npos) return words;
  const auto start = at + 1 + key.size();
  std::istringstream line(status.substr(start, status.find('\n', start) - start));
  for (std::string word; line >> word;) words.push_back(word);
  return words;
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
  constexpr nlink_t kLinksOfOneThread = 3;  // proc_task_getattr() of fs/proc/base.c: two, and one a thread
  const std::string folder = fmt::format("/proc/{}/task", pid);
  struct stat status {};
  if (stat(folder.c_str(), &status) == 0 && status.st_nlink == kLinksOfOneThread) return {pid};
  std::vector<pid_t> threads;
  std::error_code error;
  for (const auto& thread : std::filesystem::directory_iterator(folder, error))
    threads.push_back(static_cast<pid_t>(std::atoi(thread.path().filename().c_str())));
  return threads;
}

std::vector<pid_t> processes_below(pid_t pid) {
  std::vector<pid_t> found{pid};
  for (std::size_t i = 0; i < found.size() && found.size() < kProcessesMax; ++i) {
    for (const pid_t thread : threads_of(found[i])) {
      std::istringstream children(read_proc(fmt::format("/proc/{}/task/{}/children", found[i], thread)));
      for (pid_t child = 0; children >> child;) found.push_back(child);
    }
  }
  return found;
}

bool read_identity(pid_t pid, Identity& identity) {
  constexpr std::size_t kEffective = 1;  // real, effective, saved, of the file system
  const std::string status = read_proc(pid, "status");
  const auto users = words_of(status, "Uid:");
  if (users.size() <= kEffective) return false;
  identity.user = static_cast<uid_t>(std::strtoul(users[kEffective].c_str(), nullptr, 10));
  identity.is_in_own_pid_space =
      words_of(status, "NSpid:").size() > words_of(read_proc(getpid(), "status"), "NSpid:").size();
  return true;
}

}  // namespace discnice::cli
