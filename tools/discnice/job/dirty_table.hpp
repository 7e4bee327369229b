// SPDX-License-Identifier: MIT
// dirty_table: the job's table of dirty data. All processes of the job read and change it, because one process may remove what another one wrote. A compiler's driver does this
// with the files between its passes.
//
// A process that does not get the table goes on without it for this call. The table is held by an instant: a holder that was killed, or that left by longjmp(), loses the table
// after a second. If such a holder comes back later, it finds another instant and writes no more (contract/lease.hpp). Its last writes may make numbers wrong, but never bounds.
#pragma once

#include <cstdint>

#include "tools/discnice/job/job.hpp"
#include "tools/discnice/predictor/dirty_data.hpp"

namespace discnice::guest {

/// The memory of the table. There is none before the table was first held.
inline predictor::DirtyData::Memory& dirty_memory(const Job& job) {
  return *reinterpret_cast<predictor::DirtyData::Memory*>(job.segment->dirty_table);
}

/// False while the table has no data of any file, and while it has no memory.
inline bool has_dirty_data(const Job& job) {
  const protocol::Segment& segment = *job.segment;
  const bool is_there =
      segment.is_all_reserved != 0 || segment.is_dirty_table_reserved.load(std::memory_order_acquire) != 0;
  return is_there && !predictor::UpdateRegions(dirty_memory(job).regions).is_empty();
}

/// Holds the table until the end of the block, if nobody else holds it and there is memory for it.
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
