// SPDX-License-Identifier: MIT
// jobs: the segments of this user's jobs in /dev/shm.
//
// Everybody may make any name there. So a job is a file of this user under a name of ours. The kernel says whose file it is and whether its
// maker lives. Nothing is removed because of what stands in a segment. Uid 0 sees its own jobs only, like any user.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/discnice/protocol/layout.hpp"
#include "tools/discnice/protocol/segment.hpp"

namespace discnice::cli {

/// A mapped segment; unmapped when it goes.
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
  /// Under which it was found.
  [[nodiscard]] const char* name() const { return name_.text; }
  /// The pid that started it, by which people name it.
  [[nodiscard]] std::uint64_t number() const { return maker_.pid; }
  [[nodiscard]] std::uint64_t age_ns() const;
  /// Whether the process that started it was still there, and still this user's, when the job was found.
  [[nodiscard]] bool is_kept() const { return is_kept_; }

 private:
  protocol::Segment* segment_;
  protocol::SegmentName name_;
  protocol::Maker maker_;
  bool is_kept_;
};

/// So long a look at the names in /dev/shm may take, however many there are.
inline constexpr std::uint64_t kLookMaxNs = 100'000'000;

/// The jobs of this user that have somebody alive in them.
struct FoundJobs {
  std::vector<MappedJob> jobs;
  bool is_complete = true;  // false: there were more names than could be looked at
};
FoundJobs find_jobs();

/// What a person is told then.
std::string some_missing();

/// The same for a person, who is told when some may be missing.
std::vector<MappedJob> find_jobs_or_warn();

/// Removes what this user's killed jobs have left behind: files of this user under a name of ours, whose maker is gone and which no process has
/// mapped. Without /proc, and of another PID namespace, nothing.
void clear_leftovers();

/// The job of that number (the pid that started it), with that process in it, or the only one with that command. Nothing, and a
/// sentence in `problem`, when there is none or more than one.
std::optional<MappedJob> find_job(const std::string& name, std::string* problem);

/// Whether a launcher looks after the job's connections.
bool is_net_held(const MappedJob& job);

/// What the job runs, as the segment tells.
std::string command_of(const protocol::Segment& segment);

}  // namespace discnice::cli
