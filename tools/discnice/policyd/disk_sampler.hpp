// SPDX-License-Identifier: MIT
// disk_sampler: samples the disks on which jobs give way, once for all jobs, and publishes the samples.
//
// A member notes on its user's board (protocol/board.hpp) which disks it wants to know of. Only disks that were wanted a moment ago are sampled. Each member judges itself what a
// sample means, because each owes a different amount. If a sample is stale, the member samples the disk itself. The members themselves read the pressure (policy/pressure.hpp):
// its windows differ from job to job, and reading it more often makes it less exact for all.
#pragma once

#include <cstdint>

#include "tools/discnice/protocol/board.hpp"

namespace discnice::policyd {

/// The time between two samples while a member wants them: as short as if a member sampled the disk itself.
inline constexpr std::uint64_t kSampleNs = 2'500'000;

class DiskSampler {
 public:
  DiskSampler() = default;
  ~DiskSampler();
  DiskSampler(const DiskSampler&) = delete;
  DiskSampler& operator=(const DiskSampler&) = delete;

  /// Maps this user's board again, because it may be another file than before. To be called from time to time.
  void find_board();

  /// Samples the wanted disks. True if there were any.
  bool sample();

 private:
  protocol::Board* board_ = nullptr;
};

}  // namespace discnice::policyd
