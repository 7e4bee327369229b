// SPDX-License-Identifier: MIT
// jobs: the segments of this user's jobs in /dev/shm.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/discnice/protocol/layout.hpp"

namespace discnice::cli {

/// A mapped segment; unmapped when it goes.
class MappedJob {
 public:
  explicit MappedJob(protocol::Segment* segment) : segment_(segment) {}
  ~MappedJob();
  MappedJob(MappedJob&& other) noexcept : segment_(other.segment_) { other.segment_ = nullptr; }
  MappedJob(const MappedJob&) = delete;
  MappedJob& operator=(const MappedJob&) = delete;
  MappedJob& operator=(MappedJob&&) = delete;

  [[nodiscard]] const protocol::Segment& segment() const { return *segment_; }
  [[nodiscard]] protocol::Segment& segment() { return *segment_; }

 private:
  protocol::Segment* segment_;
};

/// Whose jobs.
enum class Whose : std::uint8_t { own, everybodys };

/// The jobs of this user (root may ask for everybody's) that have somebody alive in them. Removes what dead ones left behind.
std::vector<MappedJob> find_jobs(Whose whose = Whose::own);

/// The job of that number (the pid that started it), with that process in it, or the only one with that command. Nothing, and a
/// sentence in `problem`, when there is none or more than one.
std::optional<MappedJob> find_job(const std::string& name, std::string* problem);

/// What the job runs, as the segment tells.
std::string command_of(const protocol::Segment& segment);

}  // namespace discnice::cli
