// SPDX-License-Identifier: MIT
#include "tools/discnice/predictor/inode_blocks.hpp"

#include "tools/discnice/predictor/dirty_age.hpp"
#include "tools/discnice/predictor/page_key.hpp"

namespace discnice::predictor {
namespace {

static_assert((InodeBlocks::kSets & (InodeBlocks::kSets - 1)) == 0);

unsigned set_of(std::uint64_t device, std::uint64_t stretch) {
  return static_cast<unsigned>(spread(stretch, device) >> 32U) % InodeBlocks::kSets;
}

}  // namespace

bool InodeBlocks::mark(std::uint64_t device, std::uint64_t block, std::uint64_t now_ns) {
  const std::uint64_t number = block / kStretchBlocks;
  const std::uint64_t bit = UINT64_C(1) << block % kStretchBlocks;
  Set& set = sets_[set_of(device, number)];
  unsigned place = 0;
  while (place < kWays && (set[place].device != device || set[place].number != number)) ++place;
  const bool is_known =
      place < kWays && set[place].dirty_blocks != 0 && now_ns - set[place].dirty_since_ns < kDirtyAgeMaxNs;
  Stretch marked = is_known ? set[place] : Stretch{device, number, now_ns, 0};
  const bool was_clean = (marked.dirty_blocks & bit) == 0;
  marked.dirty_blocks |= bit;
  if (place == kWays) place = kWays - 1;  // the one not marked for longest
  for (; place > 0; --place) set[place] = set[place - 1];
  set[0] = marked;
  return was_clean;
}

void InodeBlocks::forget_all() {
  for (Set& set : sets_) {
    for (Stretch& stretch : set) stretch.dirty_blocks = 0;
  }
}

}  // namespace discnice::predictor
