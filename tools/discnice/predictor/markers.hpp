// SPDX-License-Identifier: MIT
// markers: the marked pages that read-ahead left in the page cache and nobody has used yet.
//
// The kernel keeps one for each window, in the page itself, shared by all who read the file (PG_readahead). A program that reads
// here and there leaves thousands, so they are kept in one table of fixed size for all files. A full bucket forgets one of
// its own: then one window is predicted too few.
#pragma once

#include <atomic>
#include <cstdint>

#include "tools/discnice/contract/io_op.hpp"

namespace discnice::predictor {

/// Needs no lock: each slot is one word. Zero bytes are an empty table. Any thread; a fork has a copy of its own.
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
  // How many slots of each bucket are taken: reads ask about every page, nearly always in vain, and need not wait for so long a table.
  std::atomic<std::uint8_t> taken_[kBuckets];
  // Of a program that lives off the page cache there are none at all.
  std::atomic<bool> has_any_;  // never taken back
  Bucket buckets_[kBuckets];
};

}  // namespace discnice::predictor
