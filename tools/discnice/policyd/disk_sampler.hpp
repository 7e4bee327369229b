// SPDX-License-Identifier: MIT
// disk_sampler: samples the disks on which jobs give way to others, once for all these jobs, and publishes the samples.
//
// A member writes on its user's board (protocol/board.hpp) which disk must be sampled. Only disks that were wanted a moment ago are sampled. Each member
// evaluates a sample itself, because each member owes another amount. Instead of a stale sample, a member reads the counters itself. The pressure of waiting
// (policy/pressure.hpp) is left to the members. Each job has its own windows for it, and more readings make the figure less exact for all jobs.
#pragma once

#include <cstdint>

#include "tools/discnice/protocol/board.hpp"

namespace discnice::policyd {

/// The time between samples while members want samples. It equals the time between a member's own looks.
inline constexpr std::uint64_t kSampleNs = 2'500'000;

class DiskSampler {
 public:
  DiskSampler() = default;
  ~DiskSampler();
  DiskSampler(const DiskSampler&) = delete;
  DiskSampler& operator=(const DiskSampler&) = delete;

  /// Maps this user's board, which may be a new file. To be called now and then.
  void find_board();

  /// Samples the wanted disks. Returns true when at least one disk was wanted.
  bool sample();

 private:
  protocol::Board* board_ = nullptr;
};

}  // namespace discnice::policyd
