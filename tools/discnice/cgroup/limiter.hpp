// SPDX-License-Identifier: MIT
// limiter: holds a job to its rate by a control group. It makes the group, adjusts the group's limits to the job's present grant, and removes the group.
//
// In version 2 the kernel holds reads and writes. Version 1 does not know for which group data of the page cache is written. There the kernel holds reads, and the pacer (pace/)
// holds the processes that it sees writing. Both charge one account. While a process is stopped for its writes, reads have half of the rate, so that they do not use all of it. A
// process of its own watches the launcher: if the launcher is killed, that process removes the limits (watcher.hpp).
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

/// What a group would hold, before a group is made.
struct Plan {
  Place place;
  std::vector<std::uint64_t> disks;
  std::vector<std::string> lower;  // limits of others that are lower, a line each
  std::string problem;             // why the job cannot be held so; empty when it can
};

/// For a job that uses these files. This call changes nothing.
Plan plan_for(const std::vector<std::string>& paths, const Grant& grant);

class Limiter {
 public:
  explicit Limiter(const Plan& plan);
  Limiter(const Limiter&) = delete;
  Limiter& operator=(const Limiter&) = delete;

  /// Makes the group and sets its limits. Returns nothing, or a text that says what is wrong; then nothing is left behind.
  std::string begin(const Grant& grant);

  /// A descriptor of a file of the group. A process joins the group by writing a 0 to it. The descriptor belongs to this object.
  [[nodiscard]] int entry_fd() const { return entry_fd_; }
  /// Whether the kernel holds writes, too.
  [[nodiscard]] bool holds_writes() const { return group_.version() == Version::two; }
  [[nodiscard]] const Group& group() const { return group_; }

  /// To be called ten times a second, because the grant may have changed, and the job may do other work. For `is_writer_waiting` see above.
  void look(const Grant& grant, bool is_writer_waiting, std::uint64_t now_ns);

  /// To be called when no process of the job is left. Removes the group. If data that it has written is not on the disk yet, the data goes there under the limit, and then the
  /// watcher removes the group.
  void end();

  /// For a process that takes over, a child of the process that used this object before. Starts a watcher for it.
  void take_over();
  /// To be called when another process has taken over.
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
  std::map<std::uint64_t, std::vector<std::uint64_t>> below_;  // each disk's
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
