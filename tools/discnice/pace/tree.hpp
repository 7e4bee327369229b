// SPDX-License-Identifier: MIT
// tree: finds the processes of a job: the named processes and all their present and future descendants.
//
// Knowledge assumed: /proc/loadavg shows the last number that the kernel gave to a thread. While that number does not change, no process was started.
//   When a process's parent ended before the processes were first read, the process is no longer a descendant of the job's processes. When the launcher
//   started the job, the kernel makes such a process the launcher's child (processes/orphans.hpp). Otherwise it becomes a child of an ancestor of this process
//   (or of init), and is recognised by the environment variable that names the job.
// What breaks it: in the second case, a process that was started without this variable, or after
//   the kernel's process numbers have started again from the beginning.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <sys/types.h>

#include "tools/discnice/pace/exchange.hpp"
#include "tools/discnice/pace/paced_process.hpp"
#include "tools/discnice/protocol/layout.hpp"
#include "tools/discnice/protocol/segment.hpp"

namespace discnice::pace {

/// The processes to look after.
struct Paced {
  std::vector<pid_t> roots;    // these processes, and all that are below them or will be
  std::set<pid_t> left_out;    // except these processes and their descendants
  std::string preloaded_name;  // the file name of the preloaded library
  bool are_adopted = false;    // they ran before the job: earlier bytes do not count
  std::string obstacle =
      {};  // why the library cannot reach the first process; empty when that has to be found out
  protocol::SegmentName segment_name = {};  // the name of the job's account
  bool takes_orphans =
      false;  // a process that outlives its parent becomes a child of this process; the first root is such a child
  Exchange* exchange =
      nullptr;  // used by the code that sees large calls before they are made; null: there is none
  bool are_reads_held = false;   // the kernel holds the job's reads: no process is stopped for them
  bool are_writes_held = false;  // the same for writes
};

/// Parents come before their children.
using PacedProcesses = std::vector<std::unique_ptr<PacedProcess>>;

/// One thread must make all calls.
class Tree {
 public:
  /// The processes below `paced.left_out` are added to it.
  Tree(protocol::Segment& segment, Paced& paced);

  /// Adds processes that have come since the last look to `found`, if it is time for a look.
  void follow(std::uint64_t now_ns, PacedProcesses& found);
  /// Same as follow(), but always looks.
  void look(std::uint64_t now_ns, PacedProcesses& found);
  /// Whether some process was executing a program at that moment, so that it is not known to which job it belongs.
  [[nodiscard]] bool is_anybody_executing() const { return is_anybody_executing_; }

 private:
  enum class Orphan : std::uint8_t { ours, stranger, executing };

  void follow_from(pid_t root, bool is_first, PacedProcesses& found);
  void follow_orphans(bool is_first, PacedProcesses& found);
  [[nodiscard]] Orphan judge_orphan(pid_t pid) const;
  bool has_changed();

  protocol::Segment& segment_;
  Paced& paced_;
  std::string last_load_;
  std::uint64_t followed_at_ns_ = 0;
  std::uint64_t cost_ns_ = 0;
  std::map<pid_t, PacedProcess*> known_;  // during one look
  std::set<pid_t> seen_;
  std::vector<pid_t> above_;  // this process and the processes above it
  bool is_anybody_executing_ = false;
  std::set<pid_t> strangers_;  // children of these that do not belong to the job
};

}  // namespace discnice::pace
