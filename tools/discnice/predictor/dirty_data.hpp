// SPDX-License-Identifier: MIT
// dirty_data: what of a job's writing is in memory and not on disk yet. Zero bytes are: nothing.
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
      : inode_blocks(memory.inode_blocks, lease), regions(memory.regions, lease) {}

  InodeBlocks inode_blocks;
  UpdateRegions regions;

  void forget_all() {
    regions.forget_all();
    inode_blocks.forget_all();
  }
};

}  // namespace discnice::predictor
