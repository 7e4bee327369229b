// SPDX-License-Identifier: MIT
#include "tools/discnice/cli/jobs.hpp"

#include <cerrno>
#include <csignal>
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

}  // namespace

MappedJob::~MappedJob() {
  if (segment_ != nullptr) protocol::unmap(segment_);
}

std::vector<MappedJob> find_jobs() {
  std::vector<MappedJob> jobs;
  const std::string own_prefix = fmt::format("{}{}-", protocol::kSegmentPrefix, geteuid());
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

}  // namespace discnice::cli
