// SPDX-License-Identifier: MIT
#include "tools/discnice/pace/tree.hpp"

#include <algorithm>
#include <utility>

#include <unistd.h>

#include "toolbox/base/clock.hpp"
#include "tools/discnice/processes/orphans.hpp"
#include "tools/discnice/processes/process_facts.hpp"
#include "tools/discnice/processes/processes.hpp"

namespace discnice::pace {
namespace {

using gray::base::monotonic_ns;

// The shortest time between two looks. When it is not known whether there is a new process, a look is made after the longest time at the latest.
// The looks take no more than a hundredth of a processor.
constexpr std::uint64_t kFollowMinNs = 5'000'000;
constexpr std::uint64_t kFollowMaxNs = 200'000'000;
constexpr std::uint64_t kFollowCosts = 100;

}  // namespace

Tree::Tree(protocol::Segment& segment, Paced& paced)
    : segment_(segment), paced_(paced), above_(processes::processes_above(getpid())) {}

bool Tree::has_changed() {
  std::string load = processes::read_proc("/proc/loadavg");
  const auto at = load.rfind(' ');
  if (at == std::string::npos) return true;
  load.erase(0, at);
  const bool is_same = load == last_load_;
  last_load_ = std::move(load);
  return !is_same;
}

void Tree::follow(std::uint64_t now_ns, PacedProcesses& found) {
  const std::uint64_t since_ns = now_ns - followed_at_ns_;
  const bool is_time = since_ns >= std::max(kFollowMinNs, kFollowCosts * cost_ns_);
  if (is_time && (has_changed() || since_ns >= kFollowMaxNs)) look(now_ns, found);
}

void Tree::look(std::uint64_t now_ns, PacedProcesses& found) {
  followed_at_ns_ = now_ns;
  known_.clear();
  seen_.clear();
  for (const auto& process : found) known_.emplace(process->pid(), process.get());
  const bool is_first = found.empty();
  for (const pid_t root : paced_.roots) follow_from(root, is_first, found);
  follow_orphans(is_first, found);
  // A process whose parent has ended is no longer below the roots.
  for (const auto& [pid, process] : std::map(known_))
    if (seen_.count(pid) == 0) follow_from(pid, is_first, found);
  cost_ns_ = monotonic_ns() - now_ns;
}

// The kernel tells nothing about a process that is executing a program at this moment. The environment that was read belongs to an image if the
// process had the same image before and after the reading.
Tree::Orphan Tree::judge_orphan(pid_t pid) const {
  if (processes::is_older_than_we_are(pid)) return Orphan::stranger;
  const auto facts = processes::facts_of(static_cast<std::uint64_t>(pid));
  if (!facts || facts->user != geteuid()) return Orphan::stranger;
  const std::string image = processes::image_of(pid);
  const std::string environment = processes::environment_of(pid);
  if (image.empty() || processes::image_of(pid) != image) return Orphan::executing;
  const bool is_ours =
      processes::variable_of(environment, protocol::kSegmentVariable) == paced_.segment_name.text;
  return is_ours ? Orphan::ours : Orphan::stranger;
}

// An orphan that is not a child of this process is a child of one of its ancestors. That ancestor may have many children. A process that is older than this
// process existed before the job.
void Tree::follow_orphans(bool is_first, PacedProcesses& found) {
  if (paced_.takes_orphans) {
    for (const pid_t child : processes::orphans(paced_.roots.front()))
      if (known_.count(child) == 0) follow_from(child, is_first, found);
    return;
  }
  std::set<pid_t> strangers;
  is_anybody_executing_ = false;
  for (const pid_t above : above_) {
    for (const pid_t child : processes::children_of_first_thread(above)) {
      if (child == getpid() || known_.count(child) != 0) continue;
      const Orphan orphan = strangers_.count(child) != 0 ? Orphan::stranger : judge_orphan(child);
      if (orphan == Orphan::ours) follow_from(child, is_first, found);
      if (orphan == Orphan::stranger) strangers.insert(child);
      is_anybody_executing_ = is_anybody_executing_ || orphan == Orphan::executing;
    }
  }
  strangers_ = std::move(strangers);
}

void Tree::follow_from(pid_t root, bool is_first, PacedProcesses& found) {
  for (const processes::Descendant& one : processes::descendants_of(root)) {
    seen_.insert(one.pid);
    if (paced_.left_out.count(one.parent) != 0) paced_.left_out.insert(one.pid);
    if (paced_.left_out.count(one.pid) != 0) continue;
    const auto [place, is_new] = known_.emplace(one.pid, nullptr);
    if (!is_new) {
      if (one.parent != 0) place->second->set_parent(one.parent);
      continue;
    }
    found.push_back(std::make_unique<PacedProcess>(segment_, one.pid, one.parent));
    place->second = found.back().get();
    if (paced_.are_adopted && is_first) place->second->start_here();
  }
}

}  // namespace discnice::pace
