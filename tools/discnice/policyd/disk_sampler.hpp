// SPDX-License-Identifier: MIT
// disk_sampler: samples the disks on which jobs give way to others, once for all these jobs, and publishes the samples.
//
// A member notes on its user's board (protocol/board.hpp) which disk it wants to know about. Only disks that were wanted a moment ago are sampled. The members judge
// by themselves what a sample means, because each of them owes another amount. A member replaces a stale sample by a look of its own. Pressure (policy/pressure.hpp)
// is left to the members: each job has its own windows for it, and more readings make it less exact for all.
#pragma once

#include <cstdint>

#include "tools/discnice/protocol/board.hpp"

namespace discnice::policyd {

/// The time between samples while members want them: the same as between a member's own looks.
inline constexpr std::uint64_t kSampleNs = 2'500'000;

class DiskSampler {
 public:
  DiskSampler() = default;
  ~DiskSampler();
  DiskSampler(const DiskSampler&) = delete;
  DiskSampler& operator=(const DiskSampler&) = delete;

  /// Maps this user's board, which may be a new file. To be called now and then.
  void find_board();

  /// Samples the wanted disks. Returns true when there was any.
  bool sample();

 private:
  protocol::Board* board_ = nullptr;
};

}  // namespace discnice::policyd
