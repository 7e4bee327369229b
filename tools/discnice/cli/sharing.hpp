// SPDX-License-Identifier: MIT
// sharing: divides one rate among the jobs of one user that share it, and lends each job its part.
//
// Only this user's own jobs take part, and only jobs whose launcher is alive by the kernel's word. The traffic of other users is measured on the
// disk. Statements of other users about their jobs are not used. No job is lent more than its own --rate.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tools/discnice/cli/jobs.hpp"
#include "tools/discnice/policy/share.hpp"
#include "tools/discnice/protocol/layout.hpp"

namespace discnice::cli {

/// This user's jobs of policy `share` that have a living launcher, and the rate that each job used lately.
class SharingJobs {
 public:
  /// Finds the present jobs. When there are very many names in /dev/shm, the search takes long. The search is then made less often, so that it takes
  /// a small part of the time.
  void look(std::uint64_t now_ns);

  /// The jobs that the last search found.
  [[nodiscard]] std::vector<MappedJob>& here() { return here_; }

  /// Returns the rate that the job of that name would use.
  policy::Claim claim_of(const char* name, const protocol::Segment& segment, std::uint64_t now_ns);

 private:
  struct Usage {
    std::uint64_t at_ns = 0;
    std::uint64_t bytes = 0;
    double bytes_per_s = 0;
    std::uint64_t waits = 0;
    std::uint64_t waited_at_ns = 0;
  };
  static bool has_waited_lately(const protocol::Segment& segment, Usage& usage, std::uint64_t now_ns);

  std::vector<MappedJob> here_;
  std::uint64_t look_again_at_ns_ = 0;
  std::map<std::string, Usage> usages_;  // by the segment's name
};

/// The launcher's part, for one job. Every launcher does this for its own job, and all launchers come to the same result.
class Sharer {
 public:
  explicit Sharer(const protocol::SegmentName& name) : name_(name) {}

  /// Lends the job its part of its own rate. Does nothing for other policies, and nothing while a daemon lends.
  void lend(protocol::Segment& segment);

 private:
  protocol::SegmentName name_;
  SharingJobs jobs_;
};

/// The daemon's part: divides `total_bytes_per_s` among all jobs. A total of 0 means the largest rate of these jobs.
void lend_to_all(SharingJobs& jobs, std::uint64_t total_bytes_per_s);

}  // namespace discnice::cli
