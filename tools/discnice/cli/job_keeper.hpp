// SPDX-License-Identifier: MIT
// job_keeper: what the launcher does for its job while the job runs. It checks that every program of the job is covered, follows the schedule,
// divides a shared rate, and sends the data of small files that the job left to the kernel.
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

/// A program of the job that runs without a limit, and the reason.
struct UncoveredProgram {
  std::string name;
  std::string reason;
};

/// The settings of the keeper, from the command line.
struct KeeperOptions {
  policy::Schedule schedule;  // no entries: there is no schedule
  bool is_coverage_required = false;
  std::string preloaded_name;  // the file name of the library that is preloaded
  bool may_pace = true;        // processes that the library cannot reach are held from outside
  std::string obstacle = {};   // why the library cannot reach the program; empty when it can
  bool is_quiet = false;       // print only what is wrong
  bool tells_engine = true;    // print which programs are held from outside
};

class JobKeeper {
 public:
  JobKeeper(protocol::Segment& segment, const protocol::SegmentName& name, const KeeperOptions& options);

  /// Checks the job once. `program` is the process that was started. Warns on stderr about each uncovered program once.
  void look(pid_t program);

  /// The part of look() that does not ask which processes are covered: it follows the schedule, divides a shared rate, and gives back what killed
  /// members had reserved.
  void look_at_limits();

  /// Sets the limits that the schedule names for the present hour. Is also called before the program starts.
  void follow_schedule();

  /// Starts to watch the large calls of the program, which the kernel shows through `listener_fd`.
  void see_calls(int listener_fd, std::unique_ptr<notify::Watch> watch);

  /// Starts to hold from outside the processes that the library cannot reach, if the options allow this.
  void pace(pid_t program);

  /// To be called when the program has ended and has not been waited for. Processes that go on are handed to a process that looks after them
  /// (staying.hpp). A process that goes on without a limit is named in a warning. A program that was held from outside may end before it could be
  /// stopped. So end() waits for the time that its unpaid bytes take at the rate.
  void end(pid_t program);

  /// Returns how long end() waited for the unpaid bytes.
  [[nodiscard]] double after_end_s() const { return static_cast<double>(after_end_ns_) / 1e9; }

  /// Adds the bytes that the account of the program lacks: the bytes of processes that outlived their parents, and the bytes that the launcher
  /// moved in the place of the job's processes.
  void add_unwaited(processes::KernelAccount& account) const;

  /// To be called after the job. Describes bytes that the kernel counted and that were not charged. Returns an empty text when there are no such
  /// bytes, or when a named uncovered program may have moved them.
  [[nodiscard]] std::string missed(const Report& report) const;

  /// Holds the job by a control group of the kernel: the keeper changes the limits of the group from now on.
  void hold_by(std::unique_ptr<cgroup::Limiter> limiter) { limiter_ = std::move(limiter); }
  [[nodiscard]] cgroup::Limiter* limiter() { return limiter_.get(); }

  /// The object to be shared with a pacer that holds the same job.
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
  Grant base_;  // the limits at times for which the schedule has no entry
  bool has_ended_job_ = false;
  std::uint64_t after_end_ns_ = 0;
  pace::Exchange exchange_;
  std::unique_ptr<notify::Supervisor> supervisor_;
  std::unique_ptr<pace::Pacer> pacer_;
  std::unique_ptr<cgroup::Limiter> limiter_;  // null: no control group holds the job
  std::set<std::string> paced_names_;         // programs that were announced as held from outside
  unsigned looks_ = 0;
  // The number of the grant that this keeper published last. Another number means that a person has set the limits. Those limits stay.
  std::uint64_t grant_sequence_ = 0;
  const policy::ScheduleEntry* entry_ = nullptr;
  bool has_followed_ = false;
  // Processes that the last check found uncovered. A process is reported when the next check finds it uncovered again.
  std::set<pid_t> suspects_;
  std::map<pid_t, std::string> judged_;  // the images that are covered or were reported
  processes::AccountWatch accounts_;
  std::vector<UncoveredProgram> uncovered_;
  processes::KernelAccount orphans_;  // the sum over the orphans that this process waited for
};

}  // namespace discnice::cli
