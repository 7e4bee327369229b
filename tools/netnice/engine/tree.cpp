// SPDX-License-Identifier: MIT
#include "tools/netnice/engine/tree.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <ctime>

#include <dirent.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include "toolbox/base/units.hpp"
#include "toolbox/cli/diagnostics.hpp"
#include "tools/discnice/processes/process_facts.hpp"
#include "tools/discnice/processes/processes.hpp"

namespace netnice {
namespace {

using gray::base::kNanosecondsPerMillisecond;
namespace processes = discnice::processes;

constexpr std::uint64_t kBusyLookNs = 20 * kNanosecondsPerMillisecond;  // for a time after something new
constexpr std::uint64_t kCalmLookNs = 50 * kNanosecondsPerMillisecond;
constexpr std::uint64_t kBusyNs = 1000 * kNanosecondsPerMillisecond;
constexpr std::uint64_t kFollowNs = 500 * kNanosecondsPerMillisecond;  // at the latest
constexpr std::uint64_t kScanNs =
    200 * kNanosecondsPerMillisecond;  // as many may be open as before, and others
// No more than such a part of a processor is spent on it.
constexpr std::uint64_t kBusyLookCosts = 20;
constexpr std::uint64_t kCalmLookCosts = 100;

// Of this thread: time in which others had the processor is no cost.
std::uint64_t processor_time_ns() {
  timespec used{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return static_cast<std::uint64_t>(used.tv_sec) * gray::base::kNanosecondsPerSecond +
         static_cast<std::uint64_t>(used.tv_nsec);
}

std::string last_number() {
  std::string load = processes::read_proc("/proc/loadavg");
  const auto at = load.rfind(' ');
  return at == std::string::npos ? "" : load.substr(at);
}

// "socket:[123]" to 123; 0 for anything else.
std::uint64_t inode_in(const char* link, std::size_t length) {
  constexpr char kPrefix[] = "socket:[";
  constexpr std::size_t kPrefixLength = sizeof kPrefix - 1;
  if (length <= kPrefixLength || std::memcmp(link, kPrefix, kPrefixLength) != 0) return 0;
  std::uint64_t inode = 0;
  std::from_chars(link + kPrefixLength, link + length, inode);
  return inode;
}

}  // namespace

std::vector<FoundSocket> Tree::look(std::uint64_t now_ns) {
  std::vector<FoundSocket> found;
  const std::uint64_t start_ns = processor_time_ns();
  follow(now_ns);
  for (auto& [pid, process] : processes_) {
    if (process.is_refused) continue;
    struct stat status {};
    if (stat(fmt::format("/proc/{}/fd", pid).c_str(), &status) != 0) continue;
    const bool is_told = status.st_size > 0;
    const bool is_due = is_busy(now_ns) || now_ns - process.scanned_ns >= kScanNs;
    if (is_told && status.st_size == process.descriptors && !is_due) continue;
    if (is_told && status.st_size != process.descriptors) changed_ns_ = now_ns;
    process.descriptors = status.st_size;
    process.scanned_ns = now_ns;
    scan(pid, process, found);
  }
  const std::uint64_t cost_ns = processor_time_ns() - start_ns;
  const std::uint64_t wanted_ns = is_busy(now_ns) ? std::max(kBusyLookNs, kBusyLookCosts * cost_ns)
                                                  : std::max(kCalmLookNs, kCalmLookCosts * cost_ns);
  next_look_ns_ = now_ns + std::min(wanted_ns, kFollowNs);
  return found;
}

bool Tree::is_busy(std::uint64_t now_ns) const {
  return now_ns - changed_ns_ < kBusyNs;
}

void Tree::find_below(pid_t root, std::set<pid_t>& there) {
  for (const processes::Descendant& one : processes::descendants_of(root)) {
    if (followed_.left_out.count(one.parent) != 0) followed_.left_out.insert(one.pid);
    if (followed_.left_out.count(one.pid) == 0) there.insert(one.pid);
  }
}

void Tree::follow(std::uint64_t now_ns) {
  std::string load = last_number();
  if (load == last_load_ && !load.empty() && now_ns - followed_ns_ < kFollowNs) return;
  last_load_ = std::move(load);
  followed_ns_ = now_ns;
  std::vector<pid_t> roots = is_adopting_ ? followed_.roots : processes::children_of_first_thread(getpid());
  // Whose parent has ended is below an adopted root no more.
  for (const auto& [pid, process] : processes_) roots.push_back(pid);
  std::set<pid_t> there;
  for (const pid_t root : roots)
    if (there.count(root) == 0) find_below(root, there);
  for (auto at = processes_.begin(); at != processes_.end();) {
    if (!at->second.handle.has_ended()) {
      ++at;
      continue;
    }
    followed_.roots.erase(std::remove(followed_.roots.begin(), followed_.roots.end(), at->first),
                          followed_.roots.end());  // its number may come to another
    at = processes_.erase(at);
  }
  for (const pid_t pid : there) {
    if (processes_.count(pid) != 0) continue;
    Process process{ProcessHandle(pid)};
    if (process.handle.error() != 0 || process.handle.has_ended()) continue;
    processes_.emplace(pid, std::move(process));
    changed_ns_ = now_ns;
  }
}

void Tree::scan(pid_t pid, Process& process, std::vector<FoundSocket>& found) {
  DIR* folder = opendir(fmt::format("/proc/{}/fd", pid).c_str());
  if (folder == nullptr) {
    if (errno == EACCES || errno == EPERM) refuse(pid, process, errno);
    return;
  }
  const int folder_fd = dirfd(folder);
  while (const dirent* entry = readdir(folder)) {
    if (entry->d_name[0] == '.') continue;
    char link[64];
    const ssize_t length = readlinkat(folder_fd, entry->d_name, link, sizeof link);
    const std::uint64_t inode = length > 0 ? inode_in(link, static_cast<std::size_t>(length)) : 0;
    if (inode != 0) found.push_back({inode, pid, std::atoi(entry->d_name)});
  }
  closedir(folder);
}

// A program that runs as somebody else, or that the kernel protects, such as sudo or ping.
void Tree::refuse(pid_t pid, Process& process, int error) {
  process.is_refused = true;
  if (refused_++ == 0)
    gray::cli::warn("the connections of process {} ({}) are not held: {}", pid,
                    gray::cli::printable(processes::program_name_of(pid)), gray::cli::error_text(error));
}

void Tree::scan_again(pid_t pid) {
  const auto at = processes_.find(pid);
  if (at != processes_.end()) at->second.scanned_ns = 0;
}

const ProcessHandle* Tree::handle_of(pid_t pid) {
  const auto at = processes_.find(pid);
  return at == processes_.end() || at->second.is_refused ? nullptr : &at->second.handle;
}

}  // namespace netnice
