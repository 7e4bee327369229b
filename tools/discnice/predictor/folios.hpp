// SPDX-License-Identifier: MIT
// folios: remembers which pages of the page cache were brought in together, as one folio of several pages.
//
// Knowledge assumed: Linux mm/readahead.c, page_cache_ra_order(), from 6.16 on for ext4 and earlier for XFS: a window is made of folios of 2^n pages,
//   aligned to their size. A folio carries one marker for all of its pages. Inside large folios the kernel's search of the surrounding pages gives
//   wrong results (page_cursor.hpp).
// Output observed: none. The folios that the read-ahead model lays out are noted here.
// Inference drawn: a page that was not noted is a folio of its own.
// What breaks it: folios made by other processes, or by writing.
//
// No lock is needed: a name and its bits may come from two writers that use one slot at the same time. This causes at most a wrong prediction. Zero
// bytes are an empty table. Any thread may use it. A forked child has a copy of its own.
#pragma once

#include <atomic>
#include <cstdint>

#include "tools/discnice/contract/io_op.hpp"

namespace discnice::predictor {

/// The largest folio, 2 MiB: MAX_PAGECACHE_ORDER if pages have 4 KiB.
inline constexpr std::uint32_t kFolioOrderMax = 9;

class Folios {
 public:
  /// The first page of the folio that contains `page`.
  [[nodiscard]] std::uint64_t head_of(const FileId& file, std::uint64_t page) const;
  /// The number of pages of the folio that starts at `head`.
  [[nodiscard]] std::uint64_t pages_at(const FileId& file, std::uint64_t head) const;
  /// Makes [head, head + 2^order) one folio. `head` is a multiple of 2^order. `order` is at most kFolioOrderMax.
  void make(const FileId& file, std::uint64_t head, std::uint32_t order);
  /// Makes each page of [first_page, end_page) a folio of its own.
  void make_single(const FileId& file, std::uint64_t first_page, std::uint64_t end_page);

 private:
  static constexpr std::uint64_t kBuckets = 1024;
  static constexpr std::uint64_t kBucketSlots = 4;  // one cache line
  struct Slot {
    std::atomic<std::uint64_t> key;
    std::atomic<std::uint64_t>
        joined;  // one bit for each page: the page belongs to the folio of the page before it
  };
  struct alignas(64) Bucket {
    Slot slots[kBucketSlots];
  };

  [[nodiscard]] std::uint64_t joined_in(const FileId& file, std::uint64_t block) const;
  void set_joined(const FileId& file, std::uint64_t block, std::uint64_t mask, std::uint64_t joined);

  Bucket buckets_[kBuckets];
  std::atomic<bool>
      has_any_;  // never cleared; when there are only single pages, the table is not looked into
};

}  // namespace discnice::predictor
