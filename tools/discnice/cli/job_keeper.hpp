// SPDX-License-Identifier: MIT
// job_keeper: what the launcher does for its job while that runs: sees that every program of it is covered, follows the schedule,
// divides a shared rate, sends what small files left to the kernel.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <sys/types.h>

#include "tools/discnice/cgroup/limiter.hpp"
#include "tools/discnice/cli/left_writes_sender.hpp"
#include "tools/discnice/cli/report.hpp"
#include "tools/discnice/cli/sharing.hpp"
#include "tools/discnice/contract/grant.hpp"
#include "tools/discnice/notify/supervisor.hpp"
#include "tools/discnice/notify/watch.hpp"
#include "tools/discnice/pace/exchange.hpp"
#include "tools/discnice/pace/pacer.hpp"
#include "tools/discnice/policy/schedule.hpp"
#include "tools/discnice/processes/coverage.hpp"
#include "tools/discnice/protocol/layout.hpp"

namespace discnice::cli {

/// How often the launcher looks after its job.
inline constexpr int kKeepMs = 100;

/// A process of the job that our library is not in, and why.
struct UncoveredProgram {
  std::string name;
  std::string reason;
};

/// What the command line asked of the keeper.
struct KeeperOptions {
  policy::Schedule schedule;  // without entries: none
  bool is_coverage_required = false;
  std::string preloaded_name;  // the file name of the library that is preloaded
  bool may_pace = true;        // what the library cannot reach is held from outside
  std::string obstacle = {};   // why it cannot reach the program itself; empty when it can
  bool is_quiet = false;       // only what is wrong is said
  bool tells_engine = true;    // which programs are held from outside is said
};

class JobKeeper {
 public:
  JobKeeper(protocol::Segment& segment, const protocol::SegmentName& name, const KeeperOptions& options);

  /// One look, `program` being the process that was started. Says on stderr what is uncovered, once a program.
  void look(pid_t program);

  /// What of a look does not ask who is covered: the schedule, what is shared, what the dead had reserved.
  void look_at_limits();

  /// Before the program starts: the limit of this hour.
  void follow_schedule();

  /// The program's large calls are shown to us: looks at them from now on.
  void see_calls(int listener_fd, std::unique_ptr<notify::Watch> watch);

  /// Begins to hold from outside what the library cannot reach, if that is wanted.
  void pace(pid_t program);

  /// The program has ended, and is not waited for yet. Who goes on a process of its own looks after from now on (staying.hpp). Who goes on
  /// without a limit is named. What was moved from outside ahead of the rate is waited for: a program may be over before it could be stopped.
  void end(pid_t program);

  /// How long end() waited for what was moved ahead of the rate.
  [[nodiscard]] double after_end_s() const { return static_cast<double>(after_end_ns_) / 1e9; }

  /// What those have moved who go on, whom nobody has waited for, and what was moved by us in their place.
  void add_unwaited(processes::KernelAccount& account) const;

  /// After the job: that the kernel counted more than was charged, where no program was named that it could be; else empty.
  [[nodiscard]] std::string missed(const Report& report) const;

  /// The kernel holds the job by a control group: moves its limits from now on.
  void hold_by(std::unique_ptr<cgroup::Limiter> limiter) { limiter_ = std::move(limiter); }
  [[nodiscard]] cgroup::Limiter* limiter() { return limiter_.get(); }

  /// For the pacer that holds the same job.
  [[nodiscard]] pace::Exchange& exchange() { return exchange_; }

  [[nodiscard]] const std::vector<UncoveredProgram>& uncovered() const { return uncovered_; }

 private:
  void hand_over();
  void wait_until_paid(pid_t program);
  void look_at_processes(pid_t program);
  void look_at_who_goes_on(pid_t program);
  void wait_for_orphans(pid_t program);
  void take_findings(pid_t program);
  [[nodiscard]] const char* large_calls_text() const;
  void report_uncovered(pid_t pid, const std::string& name, const std::string& reason, pid_t program);
  void return_budget_of_dead();

  protocol::Segment& segment_;
  protocol::SegmentName name_;
  Sharer sharer_;
  LeftWritesSender left_writes_;
  KeeperOptions options_;
  Grant base_;  // what holds at times that the schedule does not speak of
  bool has_ended_job_ = false;
  std::uint64_t after_end_ns_ = 0;
  pace::Exchange exchange_;
  std::unique_ptr<notify::Supervisor> supervisor_;
  std::unique_ptr<pace::Pacer> pacer_;
  std::unique_ptr<cgroup::Limiter> limiter_;  // null: the kernel is not asked
  std::set<std::string> paced_names_;         // programs that were said to be held so
  unsigned looks_ = 0;
  std::uint64_t grant_sequence_ = 0;  // of the grant we published last; another one is a person's and stays
  const policy::ScheduleEntry* entry_ = nullptr;
  bool has_followed_ = false;
  std::set<pid_t> suspects_;  // uncovered at the last look; only who still is at the next is reported
  std::map<pid_t, std::string> judged_;  // the images that are covered, or reported
  processes::AccountWatch accounts_;
  std::vector<UncoveredProgram> uncovered_;
  processes::KernelAccount orphans_;  // that were waited for here
};

}  // namespace discnice::cli
