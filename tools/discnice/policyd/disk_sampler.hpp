// SPDX-License-Identifier: MIT
// disk_sampler: looks at the disks that jobs give way on, once for all of them, and publishes what it saw.
//
// What a member wants to know it notes on its user's board (protocol/board.hpp); what was wanted a moment ago is sampled, and nothing else.
// Members judge for themselves what a sample means, for what each of them owes differs; a stale one they replace by a look of their own.
// Pressure (policy/pressure.hpp) is left to them: its windows are each job's own, and reading it more often makes it less exact for all.
#pragma once

#include <cstdint>

#include "tools/discnice/protocol/board.hpp"

namespace discnice::policyd {

/// How far apart samples are while somebody wants them: as often as a member would look itself.
inline constexpr std::uint64_t kSampleNs = 2'500'000;

class DiskSampler {
 public:
  DiskSampler() = default;
  ~DiskSampler();
  DiskSampler(const DiskSampler&) = delete;
  DiskSampler& operator=(const DiskSampler&) = delete;

  /// Maps this user's board, which may be another file than before. Now and then.
  void find_board();

  /// Samples what is wanted. True when anything was.
  bool sample();

 private:
  protocol::Board* board_ = nullptr;
};

}  // namespace discnice::policyd
