// SPDX-License-Identifier: MIT
#include "tools/discnice/cli/jobs.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <memory>

#include <dirent.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include "toolbox/base/clock.hpp"
#include "toolbox/cli/diagnostics.hpp"
#include "tools/discnice/cli/gone_members.hpp"
#include "tools/discnice/processes/process_facts.hpp"
#include "tools/discnice/protocol/members.hpp"

namespace discnice::cli {
namespace {

using protocol::Maker;

bool is_alive(std::uint32_t pid) {
  return kill(static_cast<pid_t>(pid), 0) == 0 || errno != ESRCH;
}

bool has_process(const MappedJob& job, std::uint32_t pid) {
  if (job.number() == pid) return true;
  const std::uint32_t own_namespace = protocol::own_pid_namespace(job.segment());
  bool has_slot = false;
  protocol::for_each_member(job.segment(), [&](const protocol::Member& member) {
    if (member.pid.load(std::memory_order_relaxed) == pid &&
        member.pid_namespace.load(std::memory_order_relaxed) == own_namespace)
      has_slot = true;
  });
  return has_slot && is_alive(pid);
}

// The entries of a folder whose names begin with a prefix. The search ends at a given time, because any user can create more names.
struct Entries {
  std::vector<std::string> names;
  bool is_complete = true;
};

Entries entries_of(const char* folder, const std::string& prefix, std::uint64_t end_ns) {
  Entries found;
  const std::unique_ptr<DIR, int (*)(DIR*)> names(opendir(folder), closedir);
  unsigned count = 0;
  while (const dirent* entry = names != nullptr ? readdir(names.get()) : nullptr) {
    constexpr unsigned kNamesPerLookAtClock = 64;
    if (++count % kNamesPerLookAtClock == 0 && gray::base::monotonic_ns() > end_ns) {
      found.is_complete = false;
      break;
    }
    if (std::strncmp(entry->d_name, prefix.c_str(), prefix.size()) == 0)
      found.names.emplace_back(entry->d_name);
  }
  return found;
}

Entries own_entries(std::uint64_t end_ns) {
  return entries_of(protocol::kSegmentFolder, fmt::format("{}{}-", protocol::kSegmentPrefix, geteuid()),
                    end_ns);
}

bool is_made_by(const protocol::Segment& segment, const Maker& maker) {
  return segment.creator_pid == maker.pid && segment.created_ns == maker.at_ns;
}

// Whether this is a file of this user whose creator is gone, and in which no living process is a member.
bool is_deserted(const std::string& name) {
  Maker maker{};
  if (!protocol::read_maker(name.data(), name.size(), &maker)) return false;
  struct stat status {};
  if (lstat((protocol::kSegmentFolder + name).c_str(), &status) != 0) return false;
  if (!S_ISREG(status.st_mode) || status.st_uid != geteuid() || maker.user != geteuid()) return false;
  if (maker.pid_namespace == protocol::kUnknownPidNamespace) return false;
  if (maker.pid_namespace != protocol::find_pid_namespace())
    return has_namespace_ended(static_cast<std::uint32_t>(maker.pid_namespace));
  if (processes::is_own_since(maker.pid, maker.at_ns)) return false;
  const auto segment = protocol::join(name.data(), name.size());
  if (!segment) return true;  // made by another release, or half made
  const bool is_empty = !has_members(*segment.value());
  protocol::unmap(segment.value());
  return is_empty;
}

// Removes from `names` the files that a process of this user has mapped, without looking at their content. Returns false when this cannot be
// told.
bool keep_unmapped(std::vector<std::string>& names) {
  const Entries processes = entries_of("/proc", "", gray::base::monotonic_ns() + kLookMaxNs);
  if (processes.names.empty() || !processes.is_complete) return false;
  for (const std::string& entry : processes.names) {
    if (names.empty()) break;
    const std::uint64_t pid = std::strtoull(entry.c_str(), nullptr, 10);
    const auto facts = pid != 0 ? processes::facts_of(pid) : std::nullopt;
    if (!facts || facts->user != geteuid()) continue;
    const std::string maps = processes::read_proc(fmt::format("/proc/{}/maps", pid));
    std::erase_if(names, [&maps](const std::string& name) { return maps.find(name) != std::string::npos; });
  }
  return true;
}

}  // namespace

MappedJob::MappedJob(protocol::Segment* segment, const protocol::SegmentName& name,
                     const protocol::Maker& maker)
    : segment_(segment),
      name_(name),
      maker_(maker),
      is_kept_(maker.pid_namespace == protocol::find_pid_namespace() &&
               processes::is_own_since(maker.pid, maker.at_ns)) {}

MappedJob::~MappedJob() {
  if (segment_ != nullptr) protocol::unmap(segment_);
}

std::uint64_t MappedJob::age_ns() const {
  const std::uint64_t now_ns = gray::base::monotonic_ns();
  return now_ns > maker_.at_ns ? now_ns - maker_.at_ns : 0;
}

FoundJobs find_jobs() {
  FoundJobs found;
  const std::uint64_t end_ns = gray::base::monotonic_ns() + kLookMaxNs;
  const Entries entries = own_entries(end_ns);
  found.is_complete = entries.is_complete;
  for (const std::string& name : entries.names) {
    if (gray::base::monotonic_ns() > end_ns) {
      found.is_complete = false;
      break;
    }
    Maker maker{};
    if (!protocol::read_maker(name.data(), name.size(), &maker)) continue;
    const auto segment = protocol::join(name.data(), name.size());
    if (!segment) continue;  // of another user or another version, or being removed
    MappedJob job(segment.value(), protocol::name_from(name.data(), name.size()), maker);
    // A segment may have a second name. Only the name under which it was made counts.
    const bool is_first_name = is_made_by(job.segment(), maker);
    if (is_first_name && (job.is_kept() || has_members(job.segment()))) found.jobs.push_back(std::move(job));
  }
  return found;
}

std::string some_missing() {
  return fmt::format("there are too many names in /dev/shm to look at in {} ms: some jobs may be missing",
                     kLookMaxNs / 1'000'000);
}

std::vector<MappedJob> find_jobs_or_warn() {
  FoundJobs found = find_jobs();
  if (!found.is_complete) gray::cli::warn("{}", some_missing());
  return std::move(found.jobs);
}

void clear_leftovers() {
  std::vector<std::string> deserted;
  const std::uint64_t end_ns = gray::base::monotonic_ns() + kLookMaxNs;
  for (const std::string& name : own_entries(end_ns).names) {
    if (gray::base::monotonic_ns() > end_ns) return;
    if (is_deserted(name)) deserted.push_back(name);
  }
  if (deserted.empty() || !keep_unmapped(deserted)) return;
  for (const std::string& name : deserted) protocol::remove(protocol::name_from(name.data(), name.size()));
}

bool is_net_held(const MappedJob& job) {
  return job.is_kept() && job.segment().net.is_held.load(std::memory_order_relaxed) != 0;
}

std::string command_of(const protocol::Segment& segment) {
  return {segment.job_name, strnlen(segment.job_name, sizeof segment.job_name)};
}

std::optional<MappedJob> find_job(const std::string& name, std::string* problem) {
  std::vector<MappedJob> jobs = find_jobs_or_warn();
  const auto number = static_cast<std::uint32_t>(std::strtoul(name.c_str(), nullptr, 10));
  const bool is_number = !name.empty() && name.find_first_not_of("0123456789") == std::string::npos;
  MappedJob* found = nullptr;
  for (MappedJob& job : jobs) {
    if (is_number ? !has_process(job, number) : command_of(job.segment()) != name) continue;
    if (found != nullptr) {
      *problem =
          fmt::format("more than one job runs '{}': name it by its number, see 'discnice status'", name);
      return std::nullopt;
    }
    found = &job;
  }
  if (found != nullptr) return std::move(*found);
  *problem = fmt::format("there is no job '{}' of yours: 'discnice status' lists them", name);
  return std::nullopt;
}

}  // namespace discnice::cli
