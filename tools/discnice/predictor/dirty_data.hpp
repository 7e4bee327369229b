// SPDX-License-Identifier: MIT
// dirty_data: what of a job's writing is in memory and not on disk yet. Zero bytes are: nothing.
#pragma once

#include "tools/discnice/predictor/inode_blocks.hpp"
#include "tools/discnice/predictor/update_regions.hpp"

namespace discnice::predictor {

struct DirtyData {
  UpdateRegions regions;
  InodeBlocks inode_blocks;

  void forget_all() {
    regions.forget_all();
    inode_blocks.forget_all();
  }
};

}  // namespace discnice::predictor
