// SPDX-License-Identifier: MIT
// markers: the marked pages that read-ahead left in the page cache and that no read has used yet.
//
// The kernel keeps one marker for each window, in the page itself. All processes that read the file share it (PG_readahead). A program that reads at
// random places leaves thousands of markers, so they are kept in one table of fixed size for all files. A full bucket forgets one of its markers;
// then one window too few is predicted.
#pragma once

#include <atomic>
#include <cstdint>

#include "tools/discnice/contract/io_op.hpp"

namespace discnice::predictor {

/// No lock is needed, because each slot is one word. Zero bytes are an empty table. Any thread may use it. A forked child has a copy of its own.
class Markers {
 public:
  [[nodiscard]] bool has(const FileId& file, std::uint64_t page) const;
  void add(const FileId& file, std::uint64_t page);
  void remove(const FileId& file, std::uint64_t page);

 private:
  static constexpr std::uint64_t kBuckets = 2048;
  static constexpr std::uint64_t kBucketSlots = 8;  // one cache line
  struct alignas(64) Bucket {
    std::atomic<std::uint64_t> slots[kBucketSlots];
  };
  // The number of used slots of each bucket. A read looks up every page and nearly always finds no marker. With this small table it need not wait for the
  // memory of the large table.
  std::atomic<std::uint8_t> taken_[kBuckets];
  // A program that finds everything in the page cache has no markers at all.
  std::atomic<bool> has_any_;  // never cleared
  Bucket buckets_[kBuckets];
};

}  // namespace discnice::predictor
