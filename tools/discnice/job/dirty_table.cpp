// SPDX-License-Identifier: MIT
#include "tools/discnice/job/dirty_table.hpp"

#include <cstddef>

#include "toolbox/base/clock.hpp"
#include "tools/discnice/protocol/reserve.hpp"

namespace discnice::guest {
namespace {

// No holder needs more than microseconds. A holder that the scheduler stopped for this long counts as dead.
constexpr std::uint64_t kHeldNsMax = 1'000'000'000;

static_assert(sizeof(predictor::DirtyData::Memory) <= protocol::kDirtyTableBytes);
static_assert(alignof(predictor::DirtyData::Memory) <= 8);

// The part of the memory that is reserved while the table has few files.
constexpr std::size_t kFirstBytes =
    sizeof(predictor::DirtyData::Memory) - predictor::UpdateRegions::kRestingBytes;

// A holder may have read the clock a moment after this process. An instant far ahead means damaged shared memory.
bool is_held(std::uint64_t since_ns, std::uint64_t now_ns) {
  const std::uint64_t apart_ns = now_ns > since_ns ? now_ns - since_ns : since_ns - now_ns;
  return apart_ns < kHeldNsMax;
}

// Called by the holder. The acquire that pairs with the release is in has_dirty_data().
bool has_memory(protocol::Segment& segment) {
  if (segment.is_dirty_table_reserved.load(std::memory_order_relaxed) != 0) return true;
  if (!protocol::reserve(segment, segment.dirty_table, kFirstBytes)) return false;
  segment.is_dirty_table_reserved.store(1, std::memory_order_release);
  return true;
}

}  // namespace

std::uint64_t HeldTable::hold(const Job& job) {
  std::atomic<std::uint64_t>& holder = job.segment->dirty_table_held_ns;
  std::uint64_t since_ns = holder.load(std::memory_order_relaxed);
  const std::uint64_t now_ns = gray::base::monotonic_coarse_ns();
  if (since_ns != 0 && is_held(since_ns, now_ns)) return 0;
  const bool is_left_behind = since_ns != 0;
  if (!holder.compare_exchange_strong(since_ns, now_ns, std::memory_order_acquire)) return 0;
  if (!has_memory(*job.segment)) {
    holder.store(0, std::memory_order_release);
    return 0;
  }
  const Lease lease(holder, now_ns);
  // The former holder may have left the table half changed.
  if (is_left_behind) predictor::DirtyData(dirty_memory(job), lease).forget_all();
  predictor::UpdateRegions regions(dirty_memory(job).regions, lease);
  if (regions.wants_rest())
    regions.allow_rest(protocol::reserve(*job.segment, job.segment->dirty_table + kFirstBytes,
                                         predictor::UpdateRegions::kRestingBytes));
  return now_ns;
}

HeldTable::~HeldTable() {
  // This release pairs with the acquire of the next holder. If another process has taken the table over, that process keeps it.
  if (held_ns_ != 0)
    job_.segment->dirty_table_held_ns.compare_exchange_strong(held_ns_, 0, std::memory_order_release);
}

}  // namespace discnice::guest
