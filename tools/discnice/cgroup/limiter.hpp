// SPDX-License-Identifier: MIT
// limiter: holds a job to its rate by a control group. It makes the group, keeps the group's limits in agreement with the job's grant, and removes the
// group.
//
// Version 2: the kernel holds reads and writes. Version 1 does not know for which process dirty memory goes to the disk. There the kernel holds the reads, and the
// pacer (pace/) holds the processes that it sees writing. Both charge one account. While the pacer has stopped a writing process, reads get half of the rate, so
// that they do not take all of it. A watcher process removes the limits when the limiter is killed (watcher.hpp).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tools/discnice/cgroup/group.hpp"
#include "tools/discnice/cgroup/place.hpp"
#include "tools/discnice/cgroup/split.hpp"
#include "tools/discnice/cgroup/watcher.hpp"
#include "tools/discnice/contract/grant.hpp"

namespace discnice::cgroup {

/// The limits that a group would have, before the group exists.
struct Plan {
  Place place;
  std::vector<std::uint64_t> disks;
  std::vector<std::string> lower;  // lower limits that others have set, a line for each
  std::string problem;             // why the job cannot be held by a group; empty when it can
};

/// The plan for a job that uses these files. Changes nothing.
Plan plan_for(const std::vector<std::string>& paths, const Grant& grant);

class Limiter {
 public:
  explicit Limiter(const Plan& plan);
  Limiter(const Limiter&) = delete;
  Limiter& operator=(const Limiter&) = delete;

  /// Makes the group and sets its limits. Returns an empty text on success. Otherwise returns what is wrong, and leaves
  /// nothing behind.
  std::string begin(const Grant& grant);

  /// A descriptor of the file to which a process writes a 0 to enter the group. The limiter keeps it open.
  [[nodiscard]] int entry_fd() const { return entry_fd_; }
  /// Whether the kernel holds writes, too.
  [[nodiscard]] bool holds_writes() const { return group_.version() == Version::two; }
  [[nodiscard]] const Group& group() const { return group_; }

  /// To be called every tenth of a second, because the grant or the work of the job may have changed. `is_writer_waiting`: the pacer has stopped a writing process.
  void look(const Grant& grant, bool is_writer_waiting, std::uint64_t now_ns);

  /// To be called when no process of the job is left. Removes the group. If the group has dirty data, that data goes to the disk under the limit, and then the
  /// watcher removes the group.
  void end();

  /// To be called in a process that takes over (a child of the process that did it until now). Starts a new watcher.
  void take_over();
  /// Another process has taken over.
  void hand_over();

 private:
  struct Moved {
    Traffic at_last_look;
    Flow reads;
    Flow writes;
  };
  void add_disk(std::uint64_t disk);
  void find_new_disks(const std::map<std::uint64_t, Traffic>& traffic);
  void note_use(const std::map<std::uint64_t, Traffic>& traffic, double passed_s, std::uint64_t rate);
  void move_limits(const Grant& grant, bool is_writer_waiting);
  int set_limits(std::uint64_t now_ns);

  Plan plan_;
  Group group_;
  std::map<std::uint64_t, Moved> disks_;
  std::map<std::uint64_t, std::vector<std::uint64_t>> below_;  // the disks below each disk
  std::map<std::uint64_t, Limits> set_;                        // as the kernel has them
  Excess excess_;
  Boost boost_;
  Grant grant_;
  std::uint64_t looked_at_ns_ = 0;
  std::uint64_t may_set_at_ns_ = 0;
  int entry_fd_ = -1;
  std::unique_ptr<Watcher> watcher_;
};

}  // namespace discnice::cgroup
