// SPDX-License-Identifier: MIT
// limiter: holds a job to its rate by a control group. It makes the group, moves the group's limits to what the job's grant says now, and removes it.
//
// Version 2: the kernel holds what is read and written. Version 1 does not see in whose name memory goes to the disk: there the kernel holds what is read, and the pacer (pace/) whom it sees
//   writing. Both charge one account. While somebody stands for it reads have half of the rate, so that they don't take all.
// A process of its own watches over us: killed, we leave no limit behind (watcher.hpp).
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

/// What a group would hold, before there is one.
struct Plan {
  Place place;
  std::vector<std::uint64_t> disks;
  std::vector<std::string> lower;  // limits of others that are lower, a line each
  std::string problem;             // why the job cannot be held so; empty when it can
};

/// For a job that uses these files. Changes nothing.
Plan plan_for(const std::vector<std::string>& paths, const Grant& grant);

class Limiter {
 public:
  explicit Limiter(const Plan& plan);
  Limiter(const Limiter&) = delete;
  Limiter& operator=(const Limiter&) = delete;

  /// Makes the group and sets its limits. What is wrong, or nothing; then nothing is left behind.
  std::string begin(const Grant& grant);

  /// A descriptor of the file that whoever is to be in the group writes a 0 to. It stays ours.
  [[nodiscard]] int entry_fd() const { return entry_fd_; }
  /// Whether the kernel holds what is written, too.
  [[nodiscard]] bool holds_writes() const { return group_.version() == Version::two; }
  [[nodiscard]] const Group& group() const { return group_; }

  /// To be called every tenth of a second: the grant may have changed, and the job may do something else. `is_writer_waiting`: see above.
  void look(const Grant& grant, bool is_writer_waiting, std::uint64_t now_ns);

  /// Nobody of the job is left. Removes the group; what it has written and is not on the disk yet goes there under the limit, and then the watcher removes it.
  void end();

  /// In a process that takes over (a child of the one that did it till now): has it watched over.
  void take_over();
  /// Somebody else has taken over.
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
