// SPDX-License-Identifier: MIT
// dirty_data: which data that a job has written is in memory and not on disk yet. Zero bytes mean none.
#pragma once

#include "tools/discnice/contract/lease.hpp"
#include "tools/discnice/predictor/inode_blocks.hpp"
#include "tools/discnice/predictor/update_regions.hpp"

namespace discnice::predictor {

class DirtyData {
 public:
  struct Memory {
    InodeBlocks::Memory inode_blocks;
    UpdateRegions::Memory regions;  // the last, for what it may be allowed lies at its end
  };

  explicit DirtyData(Memory& memory, const Lease& lease = {})
      : regions(memory.regions, lease), memory_(memory), lease_(lease) {}

  UpdateRegions regions;
  [[nodiscard]] InodeBlocks inode_blocks() const { return InodeBlocks(memory_.inode_blocks, lease_); }

  void forget_all() {
    regions.forget_all();
    inode_blocks().forget_all();
  }

 private:
  Memory& memory_;
  Lease lease_;
};

}  // namespace discnice::predictor
