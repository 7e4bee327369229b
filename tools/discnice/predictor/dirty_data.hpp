// SPDX-License-Identifier: MIT
// dirty_data: what of a job's writing is in memory and not on disk yet. Zero bytes are: nothing.
#pragma once

#include "tools/discnice/predictor/inode_blocks.hpp"
#include "tools/discnice/predictor/update_regions.hpp"

namespace discnice::predictor {

struct DirtyData {
  InodeBlocks inode_blocks;
  UpdateRegions regions;  // the last, for what it may be allowed lies at its end

  void forget_all() {
    regions.forget_all();
    inode_blocks.forget_all();
  }
};

}  // namespace discnice::predictor
