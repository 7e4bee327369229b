// SPDX-License-Identifier: MIT
#include "tools/discnice/cli/job_keeper.hpp"

#include <algorithm>
#include <bit>
#include <csignal>
#include <cstring>
#include <ctime>
#include <iterator>
#include <system_error>

#include <fmt/core.h>

#include <poll.h>
#include <sys/wait.h>

#include "toolbox/base/clock.hpp"
#include "toolbox/cli/diagnostics.hpp"
#include "toolbox/cli/quantities.hpp"
#include "tools/discnice/cli/gone_members.hpp"
#include "tools/discnice/cli/launcher.hpp"
#include "tools/discnice/cli/sharing.hpp"
#include "tools/discnice/cli/staying.hpp"
#include "tools/discnice/policy/registry.hpp"
#include "tools/discnice/processes/orphans.hpp"
#include "tools/discnice/processes/process_facts.hpp"
#include "tools/discnice/processes/processes.hpp"
#include "tools/discnice/protocol/lane_account.hpp"
#include "tools/discnice/protocol/members.hpp"
#include "tools/discnice/protocol/segment.hpp"

namespace discnice::cli {
namespace {

// Soon after the start the keeper looks often for programs that run without a limit. Later it looks once a second.
constexpr unsigned kLooksPerSecond = 1000 / kKeepMs;
// A process that was forked to run a program executes the program within this time. The keeper checks the process at this interval meanwhile.
constexpr int kForkedMs = 20;
constexpr int kForkedLookMs = 2;
// After the program's end the job pays for its unpaid bytes. A wait shorter than kUnpaidMinNs is left out. A wait of kUnpaidToldNs or more is
// announced. No wait is longer than kUnpaidMaxNs, because the bytes have moved already. A wait does not help other users of the disk any more.
constexpr std::uint64_t kUnpaidMinNs = 5'000'000;
constexpr std::uint64_t kUnpaidToldNs = 2'000'000'000;
constexpr std::uint64_t kUnpaidMaxNs = 10'000'000'000;

}  // namespace

JobKeeper::JobKeeper(protocol::Segment& segment, const protocol::SegmentName& name,
                     const KeeperOptions& options)
    : segment_(segment),
      name_(name),
      sharer_(name),
      left_writes_(segment),
      options_(options),
      base_(protocol::load_grant(segment)) {}

void JobKeeper::report_uncovered(pid_t pid, const std::string& name, const std::string& reason,
                                 pid_t program) {
  if (processes::is_left_alone(segment_, name)) return;
  for (const UncoveredProgram& known : uncovered_) {
    if (known.name == name && known.reason == reason) return;
  }
  uncovered_.push_back({name, reason});
  gray::cli::warn("'{}' (pid {}) of this job {}: it runs WITHOUT A LIMIT", name, pid, reason);
  if (!options_.is_coverage_required) return;
  has_ended_job_ = true;
  gray::cli::warn("--require: the job is ended");
  for (const pid_t root : {program, pid}) {
    for (const pid_t member : processes::processes_below(root)) kill(member, SIGTERM);
  }
}

// When no thread can be started to watch the calls, the guard lets all calls pass and only the pacer holds the job.
void JobKeeper::see_calls(int listener_fd, std::unique_ptr<notify::Watch> watch) {
  try {
    supervisor_ = std::make_unique<notify::Supervisor>(segment_, listener_fd, std::move(watch), exchange_);
  } catch (const std::system_error&) {
    gray::cli::warn("no thread is to be had to look at large calls: they are not cut in steps");
  }
}

void JobKeeper::pace(pid_t program) {
  if (!options_.may_pace) return;
  try {
    pacer_ =
        std::make_unique<pace::Pacer>(segment_, pace::Paced{{program},
                                                            {},
                                                            options_.preloaded_name,
                                                            false,
                                                            options_.obstacle,
                                                            name_,
                                                            true,
                                                            &exchange_,
                                                            limiter_ != nullptr,
                                                            limiter_ != nullptr && limiter_->holds_writes()});
  } catch (const std::system_error&) {  // no thread can be started
    options_.may_pace = false;
    if (!options_.obstacle.empty())
      report_uncovered(program, processes::program_name_of(program),
                       options_.obstacle + ", and no thread is to be had to hold it", program);
  }
}

void JobKeeper::end(pid_t program) {
  if (pacer_ == nullptr && !processes::orphans(program).empty()) pace(program);
  if (pacer_ == nullptr) {
    look_at_who_goes_on(program);
    return;
  }
  pacer_->finish();
  take_findings(program);
  if (pacer_->staying().empty())
    wait_until_paid(program);
  else
    hand_over();
}

// A signal that ends programs ends the wait, even a signal that came before the wait. A new limit ends the wait, too. There is no wait after a killed
// program: that program must not seem to be still working.
void JobKeeper::wait_until_paid(pid_t program) {
  siginfo_t info{};
  const bool has_ended_itself =
      waitid(P_PID, static_cast<id_t>(program), &info, WEXITED | WNOWAIT | WNOHANG) == 0 &&
      info.si_code == CLD_EXITED;
  const std::uint64_t start_ns = gray::base::monotonic_ns();
  const std::uint64_t wait_ns = pacer_->unpaid_ns(start_ns);
  if (!has_ended_itself || has_ended_job_ || pacer_->was_anybody_told_to_end() || wait_ns < kUnpaidMinNs)
    return;
  const std::uint64_t until_ns = start_ns + std::min(wait_ns, kUnpaidMaxNs);
  if (wait_ns >= kUnpaidToldNs && !options_.is_quiet)
    gray::cli::warn(
        "the program has ended: discnice waits {:.0f} s more, for what was moved ahead of the rate{}",
        static_cast<double>(until_ns - start_ns) / 1e9,
        wait_ns > kUnpaidMaxNs
            ? fmt::format(" (all of that would take {:.0f} s)", static_cast<double>(wait_ns) / 1e9)
            : "");
  const std::uint64_t grant = segment_.grant.sequence();
  std::uint64_t now_ns = start_ns;
  while (now_ns < until_ns && pacer_->unpaid_ns(now_ns) != 0 && !is_told_to_end() &&
         segment_.grant.sequence() == grant) {
    poll(nullptr, 0, static_cast<int>(std::min<std::uint64_t>((until_ns - now_ns) / 1'000'000 + 1, kKeepMs)));
    look_at_limits();
    now_ns = gray::base::monotonic_ns();
  }
  after_end_ns_ = gray::base::monotonic_ns() - start_ns;
}

void JobKeeper::hand_over() {
  const int listener_fd = supervisor_ == nullptr ? -1 : supervisor_->stop();
  const Staying staying{pacer_->staying(), options_.schedule, options_.preloaded_name, listener_fd,
                        limiter_.get()};
  const std::size_t without_library = pacer_->staying_without_library();
  const pid_t holder = hold_who_stays(segment_, name_, staying);
  if (holder > 0 && supervisor_ != nullptr) supervisor_->hand_over();
  if (holder > 0 && limiter_ != nullptr) std::exchange(limiter_, nullptr)->hand_over();
  if (holder <= 0) {
    for (std::size_t i = 0; i < without_library; ++i) {
      const pid_t pid = staying.processes[i];
      report_uncovered(pid, processes::program_name_of(pid), "goes on, and nobody is there to hold it", pid);
    }
  } else if (!options_.is_quiet && without_library != 0) {
    const pid_t first = staying.processes.front();
    const std::size_t others = without_library - 1;
    gray::cli::warn("'{}' (pid {}){} goes on: process {} holds it until it ends",
                    processes::program_name_of(first), first,
                    others == 0 ? "" : fmt::format(", with {} more,", others), holder);
  }
}

void JobKeeper::add_unwaited(processes::KernelAccount& account) const {
  account += orphans_;
  pace::Growth moved = exchange_.moved();
  if (pacer_ != nullptr) moved += pacer_->moved_by_orphans();
  account.read_bytes += static_cast<std::uint64_t>(std::max<std::int64_t>(moved.read_bytes, 0));
  account.write_bytes += static_cast<std::uint64_t>(std::max<std::int64_t>(moved.write_bytes, 0));
  account.cancelled_write_bytes +=
      static_cast<std::uint64_t>(std::max<std::int64_t>(moved.cancelled_bytes, 0));
}

const char* JobKeeper::large_calls_text() const {
  return supervisor_ != nullptr
             ? ", and its large calls are made in steps"
             : "; a large call still moves at once what it asks for (--engine notify makes it in steps)";
}

// Warns about each program once, even when many processes run it.
void JobKeeper::take_findings(pid_t program) {
  if (pacer_ == nullptr) return;
  for (const pace::Finding& one : pacer_->take_findings()) {
    if (!one.is_held) {
      report_uncovered(one.pid, one.name, one.reason, program);
      continue;
    }
    if (!paced_names_.insert(one.name).second || !options_.tells_engine) continue;
    gray::cli::warn("'{}' {}: it is held from outside, stopped and let go many times a second{}", one.name,
                    one.reason, large_calls_text());
  }
}

// Looks for uncovered processes when there is no pacer. The pacer finds such processes itself.
// An image that was judged once is not judged again: the map of the process is long, and the process cannot change its map while the map is read.
// What the process does is checked each time. For a moment a process is between fork and exec, or its library is being loaded. So a process counts
// as uncovered only when two checks in a row find it uncovered.
void JobKeeper::look_at_processes(pid_t program) {
  std::map<pid_t, std::string> judged;
  std::set<pid_t> suspects;
  for (const pid_t pid : processes::processes_below(program)) {
    std::string image = processes::image_of(pid);
    const auto known = judged_.find(pid);
    bool is_judged = known != judged_.end() && known->second == image;
    processes::Coverage coverage{is_judged, ""};
    if (!is_judged) coverage = processes::coverage_of(pid, options_.preloaded_name);
    if (coverage.obstacle.empty()) coverage.obstacle = accounts_.look(segment_, pid);
    const bool is_suspect = !coverage.obstacle.empty();
    const bool is_confirmed = is_suspect && suspects_.count(pid) != 0;
    if (is_confirmed) report_uncovered(pid, processes::program_name_of(pid), coverage.obstacle, program);
    if (is_suspect && !is_confirmed) suspects.insert(pid);
    is_judged = is_judged || coverage.is_covered || is_confirmed;
    if (is_judged) judged.emplace(pid, std::move(image));
  }
  judged_ = std::move(judged);
  suspects_ = std::move(suspects);
  accounts_.forget_others();
}

// Waits for ended processes that have outlived their parents. No other process waits for them.
void JobKeeper::wait_for_orphans(pid_t program) {
  while (const pid_t pid = processes::ended_orphan(program)) orphans_ += processes::wait_for_ended(pid);
}

// A process that was forked a moment ago may not have executed its program yet. It may also end soon after it has executed the program. So the keeper
// looks several times.
void JobKeeper::look_at_who_goes_on(pid_t program) {
  for (int waited_ms = 0; waited_ms <= kForkedMs; waited_ms += kForkedLookMs) {
    wait_for_orphans(program);
    const std::vector<pid_t> orphans = processes::orphans(program);
    if (orphans.empty()) return;
    for (const pid_t orphan : orphans) {
      for (const pid_t pid : processes::processes_below(orphan)) {
        const std::string obstacle = processes::coverage_of(pid, options_.preloaded_name).obstacle;
        if (!obstacle.empty() && processes::facts_of(static_cast<std::uint64_t>(pid)))
          report_uncovered(pid, processes::program_name_of(pid), obstacle, pid);
      }
    }
    poll(nullptr, 0, kForkedLookMs);
  }
}

std::string JobKeeper::missed(const Report& report) const {
  const bool may_differ = segment_.options.excluded[0][0] != '\0';
  if (!uncovered_.empty() || may_differ) return "";
  if (report.processes == 0) return "a program that did not load the library";
  if (report.uncovered_bytes() <= processes::unsettled_bytes_max(report.processes)) return "";
  return fmt::format(
      "a program that had ended before it was seen moved {} which no covered process was charged for",
      gray::cli::format_bytes(report.uncovered_bytes()));
}

void JobKeeper::follow_schedule() {
  if (options_.schedule.count == 0) return;
  if (has_followed_ && segment_.grant.sequence() != grant_sequence_) {
    options_.schedule.count = 0;  // a user has changed the limits: they hold from now on
    return;
  }
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  // tm_wday begins with Sunday. `day` begins with Monday.
  const auto day = static_cast<unsigned>((local.tm_wday + 6) % 7);
  const auto minute = static_cast<unsigned>(local.tm_hour * 60 + local.tm_min);
  const policy::ScheduleEntry* entry = policy::active_entry(options_.schedule, day, minute);
  if (has_followed_ && entry == entry_) return;
  protocol::change_grant(segment_, policy::scheduled(base_, entry));
  grant_sequence_ = segment_.grant.sequence();
  entry_ = entry;
  has_followed_ = true;
}

// A member that was killed while it waited had been charged for an operation that it never made.
void JobKeeper::return_budget_of_dead() {
  std::uint64_t bytes = protocol::take_reservations_of_dead(segment_);
  if (looks_ % kLooksPerSecond == 0) bytes += release_gone_members(segment_);
  if (bytes == 0) return;
  const std::uint64_t now_ns = gray::base::monotonic_ns();
  const Grant grant = protocol::load_grant(segment_);
  const policy::Policy& policy = policy::policy_by_id(grant.policy_id);
  constexpr auto kBytesMax = static_cast<std::uint64_t>(INT64_MAX);
  const auto correction = -static_cast<std::int64_t>(std::min(bytes, kBytesMax));
  protocol::change_paid_ns(segment_, 0, 0, grant.rate_bytes_per_s, now_ns, [&](std::uint64_t state) {
    return policy.correct({state}, grant, correction, now_ns).paid_until_ns;
  });
}

void JobKeeper::look_at_limits() {
  ++looks_;
  if (limiter_ != nullptr)
    limiter_->look(protocol::load_grant(segment_), pacer_ != nullptr && pacer_->is_anybody_standing(),
                   gray::base::monotonic_ns());
  sharer_.lend(segment_);
  left_writes_.look();
  return_budget_of_dead();
  if (looks_ % kLooksPerSecond == 0) follow_schedule();
}

void JobKeeper::look(pid_t program) {
  look_at_limits();
  take_findings(program);
  if (pacer_ == nullptr) wait_for_orphans(program);
  if (supervisor_ != nullptr) supervisor_->look_after_guard();
  const bool is_early = looks_ < kLooksPerSecond && std::has_single_bit(looks_);
  if (!is_early && looks_ % kLooksPerSecond != 0 && suspects_.empty()) return;
  if (!options_.may_pace && !has_ended_job_) look_at_processes(program);
}

}  // namespace discnice::cli
