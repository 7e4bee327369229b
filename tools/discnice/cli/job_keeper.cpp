// SPDX-License-Identifier: MIT
#include "tools/discnice/cli/job_keeper.hpp"

#include <algorithm>
#include <bit>
#include <csignal>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <system_error>

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "toolbox/base/clock.hpp"
#include "toolbox/cli/diagnostics.hpp"
#include "tools/discnice/cli/gone_members.hpp"
#include "tools/discnice/cli/process_facts.hpp"
#include "tools/discnice/cli/sharing.hpp"
#include "tools/discnice/cli/target.hpp"
#include "tools/discnice/policy/registry.hpp"
#include "tools/discnice/protocol/lane_account.hpp"
#include "tools/discnice/protocol/members.hpp"
#include "tools/discnice/protocol/segment.hpp"

namespace discnice::cli {
namespace {

constexpr std::size_t kProcessesMax = 4096;
// A program that runs without a limit is told of soon after the start; then one look a second is enough.
constexpr unsigned kLooksPerSecond = 1000 / kKeepMs;
constexpr char kLibraryName[] = "libdiscnice.so";

std::string proc(pid_t pid, const char* file) {
  return fmt::format("/proc/{}/{}", pid, file);
}

std::string read_word(const std::string& path) {
  std::ifstream file(path);
  std::string text;
  std::getline(file, text);
  return text;
}

void append_children(const std::string& task, std::vector<pid_t>& found) {
  std::istringstream children(read_proc(task + "/children"));
  for (pid_t child = 0; children >> child;) found.push_back(child);
}

// exec gives a process another one: it says where the program, its loader and its stack lie, which the kernel chooses anew.
std::string image_of(pid_t pid) {
  return read_proc(proc(pid, "auxv"));
}

// The libraries to be preloaded come before libc: while that is not there yet the loader is at work. On a busy disk this takes longer than
// the time between two looks.
bool is_being_loaded(const std::string& maps) {
  constexpr const char* kLibcs[] = {"/libc.so", "/libc-", "/ld-musl-"};
  return std::none_of(std::begin(kLibcs), std::end(kLibcs),
                      [&maps](const char* libc) { return maps.find(libc) != std::string::npos; });
}

}  // namespace

std::vector<pid_t> processes_below(pid_t pid) {
  constexpr nlink_t kLinksOfOneThread = 3;  // proc_task_getattr() of fs/proc/base.c: two, and one a thread
  std::vector<pid_t> found{pid};
  for (std::size_t i = 0; i < found.size() && found.size() < kProcessesMax; ++i) {
    const std::string tasks = proc(found[i], "task");
    struct stat status {};
    if (stat(tasks.c_str(), &status) == 0 && status.st_nlink == kLinksOfOneThread) {
      append_children(fmt::format("{}/{}", tasks, found[i]), found);
      continue;
    }
    std::error_code error;
    for (const auto& thread : std::filesystem::directory_iterator(tasks, error))
      append_children(thread.path().string(), found);
  }
  return found;
}

Coverage coverage_of(pid_t pid) {
  const std::string maps = read_proc(proc(pid, "maps"));
  if (maps.find(kLibraryName) != std::string::npos) return {true, ""};
  if (maps.empty()) {
    // A dead process has no map either; one of somebody else may not be looked into.
    const bool is_foreign =
        access(proc(pid, "maps").c_str(), R_OK) != 0 && access(proc(pid, "").c_str(), F_OK) == 0;
    return {false, is_foreign ? "runs with somebody else's rights (set-user-ID)" : ""};
  }
  std::error_code error;
  const auto program = std::filesystem::read_symlink(proc(pid, "exe"), error);
  if (error) return {};
  const std::string obstacle = obstacle_of(program);
  if (!obstacle.empty()) return {false, obstacle};
  if (is_being_loaded(maps)) return {};
  const bool has_preload = read_proc(proc(pid, "environ")).find(kLibraryName) != std::string::npos;
  return {false, has_preload ? "did not load it" : "was started with a scrubbed environment"};
}

JobKeeper::JobKeeper(protocol::Segment& segment, const protocol::SegmentName& name,
                     const policy::Schedule& schedule, bool is_coverage_required)
    : segment_(segment), sharer_(name), schedule_(schedule), is_coverage_required_(is_coverage_required) {}

void JobKeeper::report_uncovered(pid_t pid, const std::string& reason, pid_t program) {
  const std::string name = read_word(proc(pid, "comm"));
  for (const auto& excluded : segment_.options.excluded) {
    if (excluded[0] != '\0' && std::strncmp(excluded, name.c_str(), sizeof excluded) == 0) return;
  }
  for (const UncoveredProgram& known : uncovered_) {
    if (known.name == name && known.reason == reason) return;
  }
  uncovered_.push_back({name, reason});
  gray::cli::warn("'{}' (pid {}) of this job {}: it runs WITHOUT A LIMIT", name, pid, reason);
  if (!is_coverage_required_) return;
  has_ended_job_ = true;
  gray::cli::warn("--require: the job is ended");
  for (const pid_t member : processes_below(program)) kill(member, SIGTERM);
}

// What was judged once is not judged again while it is the same image: its map is long, and the process may not change it while we read.
// A process is between fork and exec, or its library is being loaded, for a moment: only the second look counts.
void JobKeeper::look_at_processes(pid_t program) {
  std::map<pid_t, std::string> judged;
  std::set<pid_t> suspects;
  for (const pid_t pid : processes_below(program)) {
    std::string image = image_of(pid);
    const auto known = judged_.find(pid);
    bool is_judged = known != judged_.end() && known->second == image;
    if (!is_judged) {
      const Coverage coverage = coverage_of(pid);
      const bool is_suspect = !coverage.obstacle.empty();
      const bool is_confirmed = is_suspect && suspects_.count(pid) != 0;
      if (is_confirmed) report_uncovered(pid, coverage.obstacle, program);
      if (is_suspect && !is_confirmed) suspects.insert(pid);
      is_judged = coverage.is_covered || is_confirmed;
    }
    if (is_judged) judged.emplace(pid, std::move(image));
  }
  judged_ = std::move(judged);
  suspects_ = std::move(suspects);
}

void JobKeeper::follow_schedule() {
  if (schedule_.count == 0) return;
  if (has_followed_ && segment_.grant.sequence() != grant_sequence_) {
    schedule_.count = 0;  // somebody has set the job: that holds from now on
    return;
  }
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  const auto day = static_cast<unsigned>((local.tm_wday + 6) % 7);  // there Sunday is 0, here Monday
  const auto minute = static_cast<unsigned>(local.tm_hour * 60 + local.tm_min);
  const policy::ScheduleEntry* entry = policy::active_entry(schedule_, day, minute);
  if (has_followed_ && entry == entry_) return;
  protocol::change_grant(segment_, policy::scheduled(protocol::load_grant(segment_), entry));
  grant_sequence_ = segment_.grant.sequence();
  entry_ = entry;
  has_followed_ = true;
}

// A member killed in its sleep had been charged for what it never did.
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

void JobKeeper::look(pid_t program) {
  ++looks_;
  sharer_.lend(segment_);
  return_budget_of_dead();
  const bool is_early = looks_ < kLooksPerSecond && std::has_single_bit(looks_);
  if (!is_early && looks_ % kLooksPerSecond != 0 && suspects_.empty()) return;
  follow_schedule();
  if (!has_ended_job_) look_at_processes(program);
}

}  // namespace discnice::cli
