// SPDX-License-Identifier: MIT
// job_keeper: what the launcher does for its job while that runs: sees that every program of it is covered, follows the schedule,
// divides a shared rate.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include <sys/types.h>

#include "tools/discnice/cli/sharing.hpp"
#include "tools/discnice/policy/schedule.hpp"
#include "tools/discnice/protocol/layout.hpp"

namespace discnice::cli {

/// How often the launcher looks after its job.
inline constexpr int kKeepMs = 100;

/// A process of the job that our library is not in, and why.
struct UncoveredProgram {
  std::string name;
  std::string reason;
};

class JobKeeper {
 public:
  JobKeeper(protocol::Segment& segment, const protocol::SegmentName& name, const policy::Schedule& schedule,
            bool is_coverage_required);

  /// One look, `program` being the process that was started. Says on stderr what is uncovered, once a program.
  void look(pid_t program);

  /// Before the program starts: the limit of this hour.
  void follow_schedule();

  [[nodiscard]] const std::vector<UncoveredProgram>& uncovered() const { return uncovered_; }
  [[nodiscard]] bool has_ended_job() const { return has_ended_job_; }

 private:
  void look_at_processes(pid_t program);
  void report_uncovered(pid_t pid, const std::string& reason, pid_t program);
  void return_budget_of_dead();

  protocol::Segment& segment_;
  Sharer sharer_;
  policy::Schedule schedule_;
  bool is_coverage_required_;
  bool has_ended_job_ = false;
  unsigned looks_ = 0;
  std::uint64_t grant_sequence_ = 0;  // of the grant we published last; another one is a person's and stays
  const policy::ScheduleEntry* entry_ = nullptr;
  bool has_followed_ = false;
  std::set<pid_t> suspects_;  // uncovered at the last look; only who still is at the next is reported
  std::map<pid_t, std::string> judged_;  // the images that are covered, or reported
  std::vector<UncoveredProgram> uncovered_;
};

/// All processes below `pid` that are there now, itself first.
std::vector<pid_t> processes_below(pid_t pid);

/// Whether our library is in a process, and if it is known not to be, why. Neither, where that can't be known (yet).
struct Coverage {
  bool is_covered = false;
  std::string obstacle;
};
Coverage coverage_of(pid_t pid);

}  // namespace discnice::cli
