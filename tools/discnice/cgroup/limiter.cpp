// SPDX-License-Identifier: MIT
#include "tools/discnice/cgroup/limiter.hpp"

#include <algorithm>
#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include "toolbox/base/clock.hpp"
#include "toolbox/cli/diagnostics.hpp"
#include "toolbox/cli/quantities.hpp"
#include "tools/discnice/cgroup/disks.hpp"

namespace discnice::cgroup {
namespace {

using gray::base::monotonic_ns;

constexpr double kSecondNs = 1e9;
constexpr std::uint64_t kLookMinNs = 50'000'000;
// A new limit makes the kernel compute its waits again. So a new limit is set only if it differs from the old limit by this part. It is set only after a large
// request can have ended under the old limit: before Linux 6.1 the request's wait would start again.
constexpr std::uint64_t kWorthShare = 64;
// A flow counts as active when it moves at least this part of the rate.
constexpr double kActiveShare = 0.05;
constexpr double kRequestBytes = 1 << 20;
constexpr double kWaitMinS = 0.1;
constexpr double kWaitMaxS = 1;

bool has(const std::vector<std::uint64_t>& disks, std::uint64_t disk) {
  return std::find(disks.begin(), disks.end(), disk) != disks.end();
}

// The lower of two limits; 0 means no limit.
std::uint64_t lower(std::uint64_t one, std::uint64_t other) {
  if (one == 0 || other == 0) return std::max(one, other);
  return std::min(one, other);
}

Limits lower(const Limits& one, const Limits& other) {
  return {lower(one.read_bytes_per_s, other.read_bytes_per_s),
          lower(one.write_bytes_per_s, other.write_bytes_per_s)};
}

// The highest limits that a grant allows.
Limits caps_of(const Grant& grant) {
  return {lower(grant.rate_bytes_per_s, grant.read_rate_bytes_per_s),
          lower(grant.rate_bytes_per_s, grant.write_rate_bytes_per_s)};
}

bool is_same(const Grant& one, const Grant& other) {
  return one.rate_bytes_per_s == other.rate_bytes_per_s &&
         one.read_rate_bytes_per_s == other.read_rate_bytes_per_s &&
         one.write_rate_bytes_per_s == other.write_rate_bytes_per_s;
}

bool differs(std::uint64_t one, std::uint64_t other) {
  const std::uint64_t difference = one > other ? one - other : other - one;
  return difference > std::max(one, other) / kWorthShare;
}

bool is_active(const Flow& flow, std::uint64_t rate) {
  return flow.used_bytes_per_s > kActiveShare * static_cast<double>(rate);
}

bool is_lower_and_there(std::uint64_t limit, std::uint64_t rate) {
  return limit != 0 && (rate == 0 || limit < rate);
}

// The groups whose limits also hold for the new group: in version 2 the groups above it, and in both versions this process's own group.
std::vector<std::string> bounding_groups(const Place& place) {
  std::vector<std::string> folders{place.own};
  if (place.version == Version::one) return folders;
  for (std::string folder = place.folder; folder.size() > place.root.size(); folder.resize(folder.rfind('/')))
    folders.push_back(folder);
  return folders;
}

void say_lower(Plan& plan, const std::string& what, std::uint64_t limit, std::uint64_t rate) {
  if (is_lower_and_there(limit, rate))
    plan.lower.push_back(fmt::format("the control group {} to {}: the lower limit wins", what,
                                     gray::cli::format_rate(static_cast<double>(limit))));
}

void find_lower(Plan& plan, const Grant& grant) {
  const Limits ours = caps_of(grant);
  for (const std::string& folder : bounding_groups(plan.place)) {
    for (const auto& [disk, limits] : Group(plan.place.version, folder).limits()) {
      if (!has(plan.disks, disk)) continue;
      say_lower(plan, fmt::format("{} holds reads of disk {}", folder, number_of(disk)),
                limits.read_bytes_per_s, ours.read_bytes_per_s);
      say_lower(plan, fmt::format("{} holds writes of disk {}", folder, number_of(disk)),
                limits.write_bytes_per_s, ours.write_bytes_per_s);
    }
  }
}

}  // namespace

Plan plan_for(const std::vector<std::string>& paths, const Grant& grant) {
  Plan plan;
  plan.place = find_place();
  plan.problem = plan.place.problem;
  for (const std::string& path : paths) {
    const FileDisks found = disks_of_file(path);
    if (found.is_out_of_reach && plan.problem.empty())
      plan.problem =
          fmt::format("'{}' lies on {}, which has no disk here that the kernel could hold", path, found.type);
    for (const std::uint64_t disk : found.disks)
      if (!has(plan.disks, disk)) plan.disks.push_back(disk);
  }
  if (plan.problem.empty()) find_lower(plan, grant);
  return plan;
}

Limiter::Limiter(const Plan& plan)
    : plan_(plan), group_(plan.place.version, plan.place.folder + "/" + own_name()) {}

std::string Limiter::begin(const Grant& grant) {
  clear_left_groups(plan_.place);
  if (std::string problem = hand_on_controllers(plan_.place); !problem.empty()) return problem;
  if (const int error = group_.make(); error != 0)
    return fmt::format("the control group {} cannot be made: {}", group_.folder(),
                       gray::cli::error_text(error));
  watcher_ = std::make_unique<Watcher>(group_);
  std::string problem;
  if (!watcher_->is_there()) problem = "no process is to be had that watches over the group";
  for (const std::uint64_t disk : plan_.disks) add_disk(disk);
  move_limits(grant, false);
  for (const auto& [disk, moved] : disks_) {
    const int error = group_.limit(disk, set_[disk]);
    if (error != 0 && problem.empty())
      problem =
          fmt::format("the kernel cannot hold disk {}: {}", number_of(disk), gray::cli::error_text(error));
  }
  entry_fd_ = open((group_.folder() + "/cgroup.procs").c_str(), O_WRONLY | O_CLOEXEC);
  if (entry_fd_ < 0 && problem.empty())
    problem = fmt::format("{} takes no process: {}", group_.folder(), gray::cli::error_text(errno));
  looked_at_ns_ = monotonic_ns();
  grant_ = grant;
  if (!problem.empty()) end();
  return problem;
}

void Limiter::add_disk(std::uint64_t disk) {
  if (disks_.size() * 2 >= kFlowsMax || disks_.count(disk) != 0) return;
  disks_[disk] = {};
  below_[disk] = disks_below(disk);
}

// A disk that is not in the job's list may lie below a disk of the list. Its traffic is counted for the disk of the list.
void Limiter::find_new_disks(const std::map<std::uint64_t, Traffic>& traffic) {
  for (const auto& [disk, moved] : traffic) {
    const bool is_below = std::any_of(below_.begin(), below_.end(),
                                      [&, one = disk](const auto& above) { return has(above.second, one); });
    if (!is_below && moved.read_bytes + moved.written_bytes != 0) add_disk(disk);
  }
}

void Limiter::note_use(const std::map<std::uint64_t, Traffic>& traffic, double passed_s, std::uint64_t rate) {
  std::map<std::uint64_t, std::pair<double, double>> moved;
  for (auto& [disk, one] : disks_) {
    const auto found = traffic.find(disk);
    if (found == traffic.end()) continue;
    moved[disk] = {static_cast<double>(found->second.read_bytes - one.at_last_look.read_bytes),
                   static_cast<double>(found->second.written_bytes - one.at_last_look.written_bytes)};
    one.at_last_look = found->second;
  }
  double all = 0;
  double used = 0;
  std::size_t active = 0;
  for (auto& [disk, one] : disks_) {
    auto [read, written] = moved[disk];
    for (const auto& [above, below] : below_) {
      if (!has(below, disk)) continue;
      read = std::max(0.0, read - moved[above].first);
      written = std::max(0.0, written - moved[above].second);
    }
    all += read + written;
    note(one.reads, read / passed_s, passed_s);
    note(one.writes, written / passed_s, passed_s);
    for (const Flow& flow : {one.reads, one.writes}) {
      used += flow.used_bytes_per_s;
      if (is_active(flow, rate)) ++active;
    }
  }
  if (rate == 0) return;
  excess_.add(all, passed_s, rate);
  boost_.add(used, active, rate, passed_s);
}

void Limiter::move_limits(const Grant& grant, bool is_writer_waiting) {
  const std::uint64_t rate = grant.rate_bytes_per_s;
  std::vector<Flow> flows;
  for (const auto& [disk, one] : disks_) {
    flows.push_back(one.reads);
    if (holds_writes()) flows.push_back(one.writes);
  }
  if (rate != 0) {
    const std::uint64_t now =
        holds_writes() ? boost_.of(excess_.made_up(rate)) : rate / (is_writer_waiting ? 2 : 1);
    split(now, holds_writes() ? rate : now, flows.data(), flows.size());
  }
  const Limits caps = caps_of(grant);
  std::size_t place = 0;
  for (auto& [disk, one] : disks_) {
    one.reads.limit_bytes_per_s = lower(flows[place++].limit_bytes_per_s, caps.read_bytes_per_s);
    if (holds_writes())
      one.writes.limit_bytes_per_s = lower(flows[place++].limit_bytes_per_s, caps.write_bytes_per_s);
  }
  const std::map<std::uint64_t, Limits> bounds =
      holds_writes() ? std::map<std::uint64_t, Limits>{} : Group(Version::one, plan_.place.own).limits();
  for (const auto& [disk, one] : disks_) {
    Limits limits{one.reads.limit_bytes_per_s, one.writes.limit_bytes_per_s};
    for (const auto& [above, below] : below_) {
      if (!has(below, disk)) continue;
      if (limits.read_bytes_per_s != 0) limits.read_bytes_per_s += disks_[above].reads.limit_bytes_per_s;
      if (limits.write_bytes_per_s != 0) limits.write_bytes_per_s += disks_[above].writes.limit_bytes_per_s;
    }
    const auto bound = bounds.find(disk);
    set_[disk] = bound == bounds.end() ? limits : lower(limits, bound->second);
  }
}

int Limiter::set_limits(std::uint64_t now_ns) {
  const auto before = group_.limits();
  std::uint64_t least = 0;  // the lowest limit of the active flows
  for (const auto& [disk, one] : disks_)
    for (const Flow& flow : {one.reads, one.writes})
      if (is_active(flow, grant_.rate_bytes_per_s)) least = lower(least, flow.limit_bytes_per_s);
  for (const auto& [disk, limits] : set_) {
    const auto old = before.find(disk);
    const bool is_worth_it = old == before.end() ||
                             differs(old->second.read_bytes_per_s, limits.read_bytes_per_s) ||
                             differs(old->second.write_bytes_per_s, limits.write_bytes_per_s);
    if (!is_worth_it) continue;
    if (const int error = group_.limit(disk, limits); error != 0) return error;
    const double wait_s = least == 0 ? kWaitMinS : kRequestBytes / static_cast<double>(least);
    may_set_at_ns_ =
        now_ns + static_cast<std::uint64_t>(std::clamp(wait_s, kWaitMinS, kWaitMaxS) * kSecondNs);
  }
  return 0;
}

void Limiter::look(const Grant& grant, bool is_writer_waiting, std::uint64_t now_ns) {
  if (watcher_->has_ended()) watcher_ = std::make_unique<Watcher>(group_);
  const bool is_new = !is_same(grant, grant_);
  if (!is_new && (now_ns - looked_at_ns_ < kLookMinNs || now_ns < may_set_at_ns_)) return;
  const double passed_s = static_cast<double>(now_ns - looked_at_ns_) / kSecondNs;
  const auto traffic = group_.traffic();
  find_new_disks(traffic);
  note_use(traffic, passed_s, grant.rate_bytes_per_s);
  if (is_new) {
    excess_.forget();
    boost_.forget();
  }
  looked_at_ns_ = now_ns;
  grant_ = grant;
  move_limits(grant, is_writer_waiting);
  // A program that tidies up may have taken the controller away from the groups.
  if (set_limits(now_ns) == -ENOENT) hand_on_controllers(plan_.place);
}

void Limiter::end() {
  if (watcher_ == nullptr) return;
  if (entry_fd_ >= 0) close(std::exchange(entry_fd_, -1));
  const bool is_gone = !group_.has_processes() && group_.dirty_bytes() == 0 && group_.remove();
  if (is_gone) {
    watcher_->dismiss();
  } else {
    const Limits caps = caps_of(grant_);
    for (const auto& [disk, moved] : disks_) set_[disk] = caps;
    set_limits(monotonic_ns());
    watcher_->leave_to_it();
  }
  watcher_.reset();
}

void Limiter::take_over() {
  watcher_.release();  // NOLINT(bugprone-unused-return-value): its socket is closed by now
  entry_fd_ = -1;
  watcher_ = std::make_unique<Watcher>(group_);
}

void Limiter::hand_over() {
  watcher_->dismiss();
  watcher_.reset();
}

}  // namespace discnice::cgroup
