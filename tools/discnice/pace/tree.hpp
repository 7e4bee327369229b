// SPDX-License-Identifier: MIT
// tree: finds the processes of a job: the named ones, and all their present and later descendants.
//
// Knowledge assumed: the last number that the kernel gave to a thread stands in /proc/loadavg; while that does not change nobody has been started.
// A process whose parent has ended before anybody looked is below the job no more. The launcher is given it by the kernel (processes/orphans.hpp). Elsewhere it is a child of
//   a process above us (or of init), and there it is known by the variable that names the job in its environment.
// What breaks it: in the second case such a process that was started without our environment, or after the kernel's numbers have begun anew.
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

/// Which processes to look after.
struct Paced {
  std::vector<pid_t> roots;    // these, and all that are below them or come to be
  std::set<pid_t> left_out;    // but for these, and those below them
  std::string preloaded_name;  // the file name of what is preloaded
  bool are_adopted = false;    // they ran before the job did: what they have moved by now is nobody's concern
  std::string obstacle =
      {};  // why the library cannot reach the first one; empty where that is to be found out
  protocol::SegmentName segment_name = {};  // of the job's account
  bool takes_orphans = false;    // who outlives its parent becomes our child; the first root is one as well
  Exchange* exchange = nullptr;  // by who sees large calls before they are made; null: nobody does
  bool are_reads_held = false;   // the kernel holds the job to what it may read: nobody stands for that
  bool are_writes_held = false;  // the same for what it writes
};

/// Parents come before their children.
using PacedProcesses = std::vector<std::unique_ptr<PacedProcess>>;

/// One thread must make all calls.
class Tree {
 public:
  /// Processes below those that are left out are added to these.
  Tree(protocol::Segment& segment, Paced& paced);

  /// Adds to `found` the processes that have come since the last look, if it is time for a look.
  void follow(std::uint64_t now_ns, PacedProcesses& found);
  /// The same, at any time.
  void look(std::uint64_t now_ns, PacedProcesses& found);
  /// Whether a process was executing a program at that moment, so that its job is not known.
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
  std::vector<pid_t> above_;  // us
  bool is_anybody_executing_ = false;
  std::set<pid_t> strangers_;  // younger children of theirs, none of ours
};

}  // namespace discnice::pace
