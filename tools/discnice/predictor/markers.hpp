// SPDX-License-Identifier: MIT
// markers: the marked pages that read-ahead left in the page cache and nobody has used yet.
//
// The kernel keeps one marker for each read-ahead window. The marker is a flag of the page (PG_readahead), so all readers of the file share it. A program that reads at random
// places leaves thousands of markers. So the markers of all files are kept in one table of fixed size. When a bucket of the table is full, a new marker replaces an old one of
// the same bucket. Then the prediction misses one window.
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
  // How many slots of each bucket are taken. Reads ask about every page, and nearly always no marker is found. With this count they need not wait for the memory of such a long
  // table.
  std::atomic<std::uint8_t> taken_[kBuckets];
  // For a program that finds all its data in the page cache there are no markers at all.
  std::atomic<bool> has_any_;  // never taken back
  Bucket buckets_[kBuckets];
};

}  // namespace discnice::predictor
