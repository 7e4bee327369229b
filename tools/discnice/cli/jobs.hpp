// SPDX-License-Identifier: MIT
// jobs: the segments of this user's jobs in /dev/shm.
//
// Any user may create any name there. So a job is a file that belongs to this user and whose name has discnice's prefix. The kernel says who owns the
// file and whether the process that made it lives. The content of a segment is never a reason to remove it. Uid 0 sees its own jobs only, like any
// user.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/discnice/protocol/layout.hpp"
#include "tools/discnice/protocol/segment.hpp"

namespace discnice::cli {

/// A mapped segment. The destructor unmaps it.
class MappedJob {
 public:
  MappedJob(protocol::Segment* segment, const protocol::SegmentName& name, const protocol::Maker& maker);
  ~MappedJob();
  MappedJob(MappedJob&& other) noexcept
      : segment_(other.segment_), name_(other.name_), maker_(other.maker_), is_kept_(other.is_kept_) {
    other.segment_ = nullptr;
  }
  MappedJob(const MappedJob&) = delete;
  MappedJob& operator=(const MappedJob&) = delete;
  MappedJob& operator=(MappedJob&&) = delete;

  [[nodiscard]] const protocol::Segment& segment() const { return *segment_; }
  [[nodiscard]] protocol::Segment& segment() { return *segment_; }
  /// The name under which the segment was found.
  [[nodiscard]] const char* name() const { return name_.text; }
  /// The pid of the process that started the job. People name the job by this number.
  [[nodiscard]] std::uint64_t number() const { return maker_.pid; }
  [[nodiscard]] std::uint64_t age_ns() const;
  /// Whether the process that started the job still existed and belonged to this user when the job was found.
  [[nodiscard]] bool is_kept() const { return is_kept_; }

 private:
  protocol::Segment* segment_;
  protocol::SegmentName name_;
  protocol::Maker maker_;
  bool is_kept_;
};

/// The longest time for a search of the names in /dev/shm, for any number of names.
inline constexpr std::uint64_t kLookMaxNs = 100'000'000;

/// The jobs of this user that have a living process.
struct FoundJobs {
  std::vector<MappedJob> jobs;
  bool is_complete = true;  // false: there were more names than could be examined
};
FoundJobs find_jobs();

/// The warning for a person when some jobs may be missing.
std::string some_missing();

/// Finds the jobs, and warns a person when some may be missing.
std::vector<MappedJob> find_jobs_or_warn();

/// Removes what killed jobs of this user have left behind: files of this user with discnice's prefix whose maker is gone and which no process of this
/// user has mapped. Removes nothing when /proc is missing. Removes nothing of another PID namespace that may still have processes.
void clear_leftovers();

/// Finds a job by its number (the pid of the process that started it), by the pid of any of its processes, or by its command. Returns nothing, and a
/// sentence in `problem`, when no job or more than one job fits.
std::optional<MappedJob> find_job(const std::string& name, std::string* problem);

/// Whether a launcher holds the job's network connections.
bool is_net_held(const MappedJob& job);

/// The command of the job, as its segment tells it.
std::string command_of(const protocol::Segment& segment);

}  // namespace discnice::cli
