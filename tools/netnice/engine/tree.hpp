// SPDX-License-Identifier: MIT
// tree: the processes that are held, and the sockets that they have open.
//
// Knowledge assumed: the process number that the kernel gave last (/proc/loadavg) changes when a process or thread is made. The size of /proc/PID/fd is the number of descriptors
//   (Linux 6.2). So most looks cost one read(), and one stat() for each process. When these numbers show no change, everything is still scanned now and then.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <sys/types.h>

#include "tools/netnice/engine/claim.hpp"
#include "tools/netnice/engine/process_sockets.hpp"
#include "tools/netnice/socket/process_handle.hpp"

namespace netnice {

/// Whether the process is a kernel thread, which has no sockets of its own.
bool is_of_kernel(pid_t pid);

/// The processes whose sockets are looked at: the roots and all processes below them.
struct Followed {
  std::vector<pid_t> roots = {};  // empty: this process's children, with the orphans that come to it
  std::set<pid_t> left_out = {};  // not looked at, nor the processes below them
};

class Tree {
 public:
  explicit Tree(Followed followed) : followed_(std::move(followed)), is_adopting_(!followed_.roots.empty()) {}

  /// Returns all sockets of each process whose descriptors have changed, known sockets too.
  std::vector<FoundSocket> look(std::uint64_t now_ns);
  /// The time when the next look is due.
  [[nodiscard]] std::uint64_t next_look_ns() const { return next_look_ns_; }
  /// Used when a socket was not where it had been, or is not connected yet: the next look goes through all sockets of the process.
  void scan_again(pid_t pid);

  /// Returns all processes of the tree, held or not, as of now. From then on the tree is empty.
  std::vector<pid_t> leave(std::uint64_t now_ns);

  [[nodiscard]] bool is_adopting() const { return is_adopting_; }

  /// Null if the process is gone.
  const ProcessHandle* handle_of(pid_t pid);
  /// True if no process is left that was to be held.
  [[nodiscard]] bool is_empty() const { return processes_.empty(); }
  [[nodiscard]] std::size_t refused() const { return refused_; }

 private:
  struct Process {
    ProcessHandle handle;
    std::int64_t descriptors = -1;
    std::uint64_t scanned_ns = 0;
    bool is_refused = false;
    bool was_refused = false;  // a refusal is reported and counted only once
    Claim claim = {};
    std::uint64_t gone_ns = 0;  // time since when the first thread is seen to have ended; 0: it has not ended
    bool is_others = false;     // another netnice holds it
  };
  void follow(std::uint64_t now_ns);
  void find_below(pid_t root, std::set<pid_t>& there);
  [[nodiscard]] bool is_busy(std::uint64_t now_ns) const;
  void scan(pid_t pid, Process& process, std::vector<FoundSocket>& found);
  void meet(pid_t pid, std::uint64_t now_ns);
  void heed_first_thread(pid_t pid, Process& process, bool has_descriptors);
  [[nodiscard]] bool may_be_looked_at(pid_t pid, Process& process, std::uint64_t now_ns);
  void claim(pid_t pid, Process& process);
  void refuse(pid_t pid, Process& process, const std::string& why);

  Followed followed_;
  bool is_adopting_;
  std::map<pid_t, Process> processes_;
  std::string last_load_;
  std::uint64_t followed_ns_ = 0;
  std::uint64_t next_look_ns_ = 0;
  std::uint64_t changed_ns_ = 0;
  std::size_t refused_ = 0;
  bool has_told_others_ = false;
};

}  // namespace netnice
