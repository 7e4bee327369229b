// SPDX-License-Identifier: MIT
#include "tools/discnice/cli/jobs.hpp"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>
#include <unistd.h>

#include "tools/discnice/protocol/members.hpp"
#include "tools/discnice/protocol/segment.hpp"

namespace discnice::cli {
namespace {

bool is_alive(std::uint32_t pid) {
  return kill(static_cast<pid_t>(pid), 0) == 0 || errno != ESRCH;
}

bool has_process(const protocol::Segment& segment, std::uint32_t pid) {
  if (segment.creator_pid == pid) return true;
  bool has_slot = false;
  protocol::for_each_member(segment, [&](const protocol::Member& member) {
    if (member.pid.load(std::memory_order_relaxed) == pid) has_slot = true;
  });
  return has_slot && is_alive(pid);
}

}  // namespace

MappedJob::~MappedJob() {
  if (segment_ != nullptr) protocol::unmap(segment_);
}

std::vector<MappedJob> find_jobs(Whose whose) {
  std::vector<MappedJob> jobs;
  const std::string own_prefix = whose == Whose::own
                                     ? fmt::format("{}{}-", protocol::kSegmentPrefix, geteuid())
                                     : protocol::kSegmentPrefix;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(protocol::kSegmentFolder, error)) {
    const std::string name = entry.path().filename().string();
    if (name.rfind(own_prefix, 0) != 0) continue;
    const auto segment = protocol::join(name.data(), name.size());
    if (!segment) continue;  // another version, or going away this moment
    MappedJob job(segment.value());
    if (is_alive(job.segment().creator_pid) || protocol::count_alive(job.segment()) != 0) {
      jobs.push_back(std::move(job));
    } else {
      protocol::remove(protocol::name_of(job.segment()));
    }
  }
  return jobs;
}

std::string command_of(const protocol::Segment& segment) {
  return {segment.job_name, strnlen(segment.job_name, sizeof segment.job_name)};
}

std::optional<MappedJob> find_job(const std::string& name, std::string* problem) {
  std::vector<MappedJob> jobs = find_jobs();
  const auto number = static_cast<std::uint32_t>(std::strtoul(name.c_str(), nullptr, 10));
  const bool is_number = !name.empty() && name.find_first_not_of("0123456789") == std::string::npos;
  MappedJob* found = nullptr;
  for (MappedJob& job : jobs) {
    if (is_number ? !has_process(job.segment(), number) : command_of(job.segment()) != name) continue;
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
