// SPDX-License-Identifier: MIT
// inode_blocks: which of the blocks with a file system's inodes are dirty in memory and not on disk yet.
//
// They are kept apart from the blocks of files (update_regions), because they are many small places. Each folder may have the inodes of its files elsewhere, and a program that
// makes files by turns in hundreds of folders comes back to each block again and again.
//
// Knowledge assumed: delayed write; what was dirtied is on its way to the disk after an age limit.
// Inference drawn: whether a block that is changed now costs the disk anything new.
// What breaks it: other writers, a sync, early flushing under memory pressure, more places at once than the table holds. A forgotten block is
//   charged again, never the other way round; the kernel's account corrects that.
// The memory may be shared, and be damaged: each entry is read once (toolbox/base/read_once.hpp), and what is in it can only be a wrong answer. Zero
// bytes are an empty table.
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
    std::uint64_t dirty_since_ns = 0;  // its first block
    std::uint64_t dirty_blocks = 0;    // a bit each; 0: nothing is known
  };
  using Set = Stretch[kWays];  // the one marked last in front

 public:
  struct Memory {
    Set sets[kSets] = {};
  };

  explicit InodeBlocks(Memory& memory, const Lease& lease = {}) : memory_(memory), lease_(lease) {}

  /// Marks a block of that device dirty. True if the block was clean, or if it is not known any more.
  bool mark(std::uint64_t device, std::uint64_t block, std::uint64_t now_ns);

  void forget_all();

 private:
  Memory& memory_;
  Lease lease_;
};

}  // namespace discnice::predictor
