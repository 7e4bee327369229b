// SPDX-License-Identifier: MIT
#include "tools/discnice/cli/job_processes.hpp"

#include <set>

#include "tools/discnice/processes/coverage.hpp"
#include "tools/discnice/processes/processes.hpp"
#include "tools/discnice/protocol/members.hpp"

namespace discnice::cli {

namespace {

// Removes the launcher and the processes that the launcher has forked for itself. They run the launcher's image and do not belong to the job.
void leave_out_launcher(pid_t launcher, std::vector<pid_t>& found) {
  const std::string image = processes::image_of(launcher);
  std::erase_if(found, [&](pid_t pid) {
    return pid == launcher || (!image.empty() && processes::image_of(pid) == image);
  });
}

}  // namespace

std::vector<pid_t> processes_of(const MappedJob& job) {
  const protocol::Segment& segment = job.segment();
  std::vector<pid_t> found;
  if (job.is_kept() && segment.options.is_adopted == 0) {  // else another process may have the number by now
    found = processes::processes_below(static_cast<pid_t>(job.number()));
    const auto starter = static_cast<pid_t>(job.number());
    if (protocol::find_member(segment, {static_cast<std::uint32_t>(starter)}) == nullptr)
      leave_out_launcher(starter, found);
  }
  const std::set<pid_t> known(found.begin(), found.end());
  const std::uint32_t own_namespace = protocol::own_pid_namespace(segment);
  protocol::for_each_member(segment, [&](const protocol::Member& member) {
    const auto pid = static_cast<pid_t>(member.pid.load(std::memory_order_relaxed));
    if (member.pid_namespace.load(std::memory_order_relaxed) != own_namespace) return;
    if (pid <= 0 || known.count(pid) != 0) return;
    const processes::Coverage coverage = processes::coverage_of(pid, processes::kAnyLibrary);
    if (coverage.is_covered || processes::is_held_from_outside(segment, pid, coverage)) found.push_back(pid);
  });
  return found;
}

}  // namespace discnice::cli
