// SPDX-License-Identifier: MIT
#include "tools/gb-wss/targets.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

#include <unistd.h>

namespace gb_wss {
namespace {

namespace fs = std::filesystem;

void add_numbers(const fs::path& file, std::vector<pid_t>& pids) {
  std::ifstream in(file);
  for (pid_t pid = 0; in >> pid;) pids.push_back(pid);
}

// The process to which a thread belongs; the number itself if there is none.
pid_t process_of(pid_t thread) {
  std::ifstream in("/proc/" + std::to_string(thread) + "/status");
  for (std::string word; in >> word;) {
    pid_t process = 0;
    if (word == "Tgid:" && in >> process) return process;
  }
  return thread;
}

// Each thread may have children of its own.
std::vector<pid_t> children_of(pid_t pid) {
  std::vector<pid_t> children;
  std::error_code ignored;
  for (const auto& thread : fs::directory_iterator("/proc/" + std::to_string(pid) + "/task", ignored))
    add_numbers(thread.path() / "children", children);
  return children;
}

void add_members(const std::string& folder, std::vector<pid_t>& pids) {
  std::error_code ignored;
  add_numbers(fs::path(folder) / "cgroup.procs", pids);
  for (auto below = fs::recursive_directory_iterator(folder, ignored);
       below != fs::recursive_directory_iterator(); below.increment(ignored)) {
    if (below->is_directory(ignored)) add_numbers(below->path() / "cgroup.procs", pids);
  }
}

}  // namespace

std::vector<pid_t> find_targets(const Options& options) {
  std::vector<pid_t> pids = options.pids;
  pids.insert(pids.end(), options.trees.begin(), options.trees.end());
  const std::size_t roots = pids.size();
  std::transform(pids.begin(), pids.end(), pids.begin(), process_of);
  std::set<pid_t> known(pids.begin(), pids.end());
  for (std::size_t i = roots - options.trees.size(); i < pids.size(); ++i) {
    for (const pid_t child : children_of(pids[i])) {
      if (known.insert(child).second) pids.push_back(child);
    }
  }
  for (const std::string& folder : options.cgroups) add_members(folder, pids);
  std::set<pid_t> seen{getpid()};
  pids.erase(std::remove_if(pids.begin(), pids.end(), [&](pid_t pid) { return !seen.insert(pid).second; }),
             pids.end());
  return pids;
}

bool is_cgroup(const std::string& folder) {
  std::error_code ignored;
  return fs::is_regular_file(fs::path(folder) / "cgroup.procs", ignored);
}

std::string name_of(pid_t pid) {
  std::ifstream in("/proc/" + std::to_string(pid) + "/comm");
  std::string name;
  std::getline(in, name);
  return name;
}

}  // namespace gb_wss
