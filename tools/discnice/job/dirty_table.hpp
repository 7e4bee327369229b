// SPDX-License-Identifier: MIT
// dirty_table: the job's table of dirty data, which all its processes read and change: what one wrote another may remove, as a compiler's
// driver does with the files between its passes.
//
// Whoever does not get it does without it for this call. It is held by an instant: a holder that was killed, or left by longjmp(), lets it go
// after a second. Should one come back later than that, it finds somebody else's instant and writes no more (contract/lease.hpp); what it may have
// written meanwhile makes numbers wrong, never bounds.
#pragma once

#include <cstdint>

#include "tools/discnice/job/job.hpp"
#include "tools/discnice/predictor/dirty_data.hpp"

namespace discnice::guest {

/// The memory of the table; it has none before the table was first held.
inline predictor::DirtyData::Memory& dirty_memory(const Job& job) {
  return *reinterpret_cast<predictor::DirtyData::Memory*>(job.segment->dirty_table);
}

/// False while no file's data is in it, and before it has memory.
inline bool has_dirty_data(const Job& job) {
  const protocol::Segment& segment = *job.segment;
  const bool is_there =
      segment.is_all_reserved != 0 || segment.is_dirty_table_reserved.load(std::memory_order_acquire) != 0;
  return is_there && !predictor::UpdateRegions(dirty_memory(job).regions).is_empty();
}

/// Holds the table for the length of a block, if nobody else does and there is memory for it.
class HeldTable {
 public:
  explicit HeldTable(const Job& job)
      : job_(job),
        held_ns_(hold(job)),
        table_(dirty_memory(job), {job.segment->dirty_table_held_ns, held_ns_}) {}
  ~HeldTable();
  HeldTable(const HeldTable&) = delete;
  HeldTable& operator=(const HeldTable&) = delete;

  explicit operator bool() const { return held_ns_ != 0; }
  predictor::DirtyData& operator*() { return table_; }
  predictor::DirtyData* operator->() { return &table_; }

 private:
  static std::uint64_t hold(const Job& job);

  const Job& job_;
  std::uint64_t held_ns_;  // what stands in the segment while we hold the table; 0: we do not
  predictor::DirtyData table_;
};

}  // namespace discnice::guest
