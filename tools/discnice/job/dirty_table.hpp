// SPDX-License-Identifier: MIT
// dirty_table: the job's table of dirty data, which all its processes read and change. Data that one process wrote may be removed by another
// process, as a compiler driver removes the files between its passes.
#pragma once

#include <cstdint>

#include "tools/discnice/job/job.hpp"
#include "tools/discnice/predictor/dirty_data.hpp"

namespace discnice::guest {

/// The memory of the table. The table has no memory before it was first held.
inline predictor::DirtyData::Memory& dirty_memory(const Job& job) {
  return *reinterpret_cast<predictor::DirtyData::Memory*>(job.segment->dirty_table);
}

/// False while the table holds no data of any file, and before it has memory.
inline bool has_dirty_data(const Job& job) {
  const protocol::Segment& segment = *job.segment;
  const bool is_there =
      segment.is_all_reserved != 0 || segment.is_dirty_table_reserved.load(std::memory_order_acquire) != 0;
  return is_there && !predictor::UpdateRegions(dirty_memory(job).regions).is_empty();
}

/// Holds the table for the length of a block, if no other thread holds it and there is memory for it.
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
  std::uint64_t held_ns_;  // the word in the segment while this object holds the table; 0: it does not
  predictor::DirtyData table_;
};

}  // namespace discnice::guest
