// SPDX-License-Identifier: MIT
#include "tools/discnice/predictor/inode_blocks.hpp"

#include "tools/discnice/predictor/dirty_age.hpp"
#include "tools/discnice/predictor/page_key.hpp"

namespace discnice::predictor {
namespace {

using gray::base::read_once;

static_assert((InodeBlocks::kSets & (InodeBlocks::kSets - 1)) == 0);

unsigned set_of(std::uint64_t device, std::uint64_t stretch) {
  return static_cast<unsigned>(spread(stretch, device) >> 32U) % InodeBlocks::kSets;
}

}  // namespace

bool InodeBlocks::mark(std::uint64_t device, std::uint64_t block, std::uint64_t now_ns) {
  const std::uint64_t number = block / kStretchBlocks;
  const std::uint64_t bit = UINT64_C(1) << block % kStretchBlocks;
  Set& set = memory_.sets[set_of(device, number)];
  Stretch known[kWays];
  unsigned place = 0;
  for (; place < kWays; ++place) {
    known[place] = read_once(set[place]);
    if (known[place].device == device && known[place].number == number) break;
  }
  const bool is_known = place < kWays && is_young(known[place].dirty_since_ns, now_ns);
  Stretch marked = is_known ? known[place] : Stretch{device, number, now_ns, 0};
  if (marked.dirty_blocks == 0) marked.dirty_since_ns = now_ns;
  const bool was_clean = (marked.dirty_blocks & bit) == 0;
  marked.dirty_blocks |= bit;
  if (place == kWays) place = kWays - 1;  // the entry that was not marked for the longest time
  for (; place > 0; --place) lease_.write(set[place], known[place - 1]);
  lease_.write(set[0], marked);
  return was_clean;
}

void InodeBlocks::forget_all() {
  for (Set& set : memory_.sets) {
    for (Stretch& stretch : set) lease_.write(stretch.dirty_blocks, 0);
  }
}

}  // namespace discnice::predictor
