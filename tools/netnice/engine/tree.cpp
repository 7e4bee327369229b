// SPDX-License-Identifier: MIT
#include "tools/netnice/engine/tree.hpp"

#include <algorithm>
#include <cerrno>
#include <ctime>

#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include "toolbox/base/descriptor_limit.hpp"
#include "toolbox/base/units.hpp"
#include "toolbox/cli/diagnostics.hpp"
#include "tools/discnice/processes/process_facts.hpp"
#include "tools/discnice/processes/processes.hpp"

namespace netnice {
namespace {

using gray::base::kNanosecondsPerMillisecond;
namespace processes = discnice::processes;

// The time between two looks: kBusyLookNs for a second after something new was found, else kCalmLookNs.
constexpr std::uint64_t kBusyLookNs = 20 * kNanosecondsPerMillisecond;
constexpr std::uint64_t kCalmLookNs = 50 * kNanosecondsPerMillisecond;
constexpr std::uint64_t kBusyNs = 1000 * kNanosecondsPerMillisecond;
// Longest time between two searches for new processes.
constexpr std::uint64_t kFollowNs = 500 * kNanosecondsPerMillisecond;
// Time between two full scans: a process may have closed some descriptors and opened as many others.
constexpr std::uint64_t kScanNs = 200 * kNanosecondsPerMillisecond;
// The looks may take 1/20 of a processor while something is new, else 1/100.
constexpr std::uint64_t kBusyLookCosts = 20;
constexpr std::uint64_t kCalmLookCosts = 100;

constexpr std::uint64_t kEndingNs = 1000 * kNanosecondsPerMillisecond;
constexpr std::uint64_t kRefusedNs = 1000 * kNanosecondsPerMillisecond;  // until the next try
constexpr char kNoDescriptors[] = "netnice may open no more files";

// Processor time of this thread: time in which other threads had the processor is no cost of a look.
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

}  // namespace

bool is_of_kernel(pid_t pid) {
  return processes::is_of_kernel(pid);
}

std::vector<FoundSocket> Tree::look(std::uint64_t now_ns) {
  std::vector<FoundSocket> found;
  const std::uint64_t start_ns = processor_time_ns();
  if (followed_ns_ == 0)
    // Each process needs two descriptors. Processes that were started before keep their own limit.
    gray::base::allow_many_descriptors();
  follow(now_ns);
  for (auto& [pid, process] : processes_) {
    if (!may_be_looked_at(pid, process, now_ns)) continue;
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

// A refused process is tried again: it may give up the rights that kept netnice away, or execute another program.
bool Tree::may_be_looked_at(pid_t pid, Process& process, std::uint64_t now_ns) {
  if (process.is_others) return false;
  if (!process.is_refused) return true;
  if (now_ns - process.scanned_ns < kRefusedNs) return false;
  process.scanned_ns = now_ns;
  process.is_refused = false;
  if (process.handle.error() != 0) process.handle = ProcessHandle(pid);
  claim(pid, process);
  return !process.is_refused && !process.is_others;
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
  // A process whose parent has ended is no longer below an adopted root, so each known process counts as a root.
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
                          followed_.roots.end());  // its number may be given to another process
    at = processes_.erase(at);
  }
  for (const pid_t pid : there) meet(pid, now_ns);
}

void Tree::meet(pid_t pid, std::uint64_t now_ns) {
  const auto known = processes_.find(pid);
  if (known != processes_.end()) {
    if (known->second.is_others) claim(pid, known->second);
    return;
  }
  Process process{ProcessHandle(pid)};
  if (process.handle.error() == -EMFILE || process.handle.error() == -ENFILE)
    refuse(pid, process, kNoDescriptors);
  else if (process.handle.error() != 0 || process.handle.has_ended())
    return;
  else
    claim(pid, process);
  processes_.emplace(pid, std::move(process));
  changed_ns_ = now_ns;
}

std::vector<pid_t> Tree::leave(std::uint64_t now_ns) {
  last_load_.clear();  // so that processes that came since the last look are found, too
  follow(now_ns);
  std::vector<pid_t> pids;
  for (const auto& [pid, process] : processes_) pids.push_back(pid);
  processes_.clear();
  return pids;
}

void Tree::scan(pid_t pid, Process& process, std::vector<FoundSocket>& found) {
  const DescriptorCount descriptors = find_sockets(pid, found);
  if (descriptors.error == EACCES || descriptors.error == EPERM)
    refuse(pid, process, gray::cli::error_text(descriptors.error));
  else if (descriptors.error == EMFILE || descriptors.error == ENFILE)
    refuse(pid, process, kNoDescriptors);
  else if (descriptors.error == 0)
    heed_first_thread(pid, process, descriptors.count != 0);
}

// A process that is ending also has no descriptors for a moment.
void Tree::heed_first_thread(pid_t pid, Process& process, bool has_descriptors) {
  if (has_descriptors || processes::facts_of(static_cast<std::uint64_t>(pid))) {
    process.gone_ns = 0;
  } else if (process.gone_ns == 0) {
    process.gone_ns = process.scanned_ns;
  } else if (process.scanned_ns - process.gone_ns > kEndingNs && !process.handle.has_ended()) {
    refuse(pid, process, "its first thread has ended, and the others cannot be reached");
  }
}

// Reports a process that cannot be held: it runs as another user or is protected by the kernel, such as sudo or ping.
void Tree::refuse(pid_t pid, Process& process, const std::string& why) {
  process.is_refused = true;
  if (process.was_refused) return;
  process.was_refused = true;
  const bool was_held = process.descriptors >= 0;
  if (refused_++ == 0)
    gray::cli::warn("process {} ({}) is not held{}: {}", pid,
                    gray::cli::printable(processes::program_name_of(pid)), was_held ? " any more" : "", why);
}

void Tree::claim(pid_t pid, Process& process) {
  if (process.claim.error() != 0) process.claim = Claim(pid);
  const int error = -process.claim.error();
  if (error == EMFILE || error == ENFILE) return refuse(pid, process, kNoDescriptors);
  if (error == EACCES || error == EPERM) return refuse(pid, process, gray::cli::error_text(error));
  process.is_others = error == 0 && !process.claim.take();
  if (process.is_others && !has_told_others_)
    gray::cli::warn("process {} ({}) is held by another netnice, and is left to it", pid,
                    gray::cli::printable(processes::program_name_of(pid)));
  has_told_others_ = has_told_others_ || process.is_others;
}

void Tree::scan_again(pid_t pid) {
  const auto at = processes_.find(pid);
  if (at != processes_.end()) at->second.scanned_ns = 0;
}

const ProcessHandle* Tree::handle_of(pid_t pid) {
  const auto at = processes_.find(pid);
  return at == processes_.end() ? nullptr : &at->second.handle;
}

}  // namespace netnice
