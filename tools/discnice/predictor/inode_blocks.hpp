// SPDX-License-Identifier: MIT
// inode_blocks: remembers which of the blocks in which a file system keeps its inodes are dirty in memory and not on the disk yet.
//
// These blocks are kept apart from the blocks of files (update_regions), because they are many and small. Each folder may have its files' inodes in
// another place, and a program that makes files in hundreds of folders by turns uses each block again and again.
//
// Knowledge assumed: delayed write; dirty data is sent to the disk after an age limit.
// Inference drawn: whether a change of a block now causes new disk traffic.
// What breaks it: other writers, a sync, early flushing under memory pressure, more places at once than the table holds. A forgotten block is charged
//   again. A block that is not dirty is never taken for a dirty one by forgetting. The kernel's account corrects the charge. The memory may be
//   shared, and may be damaged. Each entry is read once (toolbox/base/read_once.hpp), so damaged content leads to a wrong answer and to no other
//   error. Zero bytes are an empty table.
#pragma once

#include <cstdint>

#include "tools/discnice/contract/lease.hpp"

namespace discnice::predictor {

class InodeBlocks {
 public:
  static constexpr unsigned kSets = 128;
  static constexpr unsigned kWays = 8;
  static constexpr unsigned kStretchBlocks = 64;

 private:
  struct Stretch {
    std::uint64_t device = 0;
    std::uint64_t number = 0;
    std::uint64_t dirty_since_ns = 0;  // when its first block became dirty
    std::uint64_t dirty_blocks = 0;    // one bit for each block; 0: nothing is known
  };
  using Set = Stretch[kWays];  // the stretch that was marked last comes first

 public:
  struct Memory {
    Set sets[kSets] = {};
  };

  explicit InodeBlocks(Memory& memory, const Lease& lease = {}) : memory_(memory), lease_(lease) {}

  /// Marks a block of that device dirty. Returns true when the block was clean, or is no longer known.
  bool mark(std::uint64_t device, std::uint64_t block, std::uint64_t now_ns);

  void forget_all();

 private:
  Memory& memory_;
  Lease lease_;
};

}  // namespace discnice::predictor
