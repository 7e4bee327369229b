// SPDX-License-Identifier: MIT
// update_regions: which blocks of which files are dirty in memory and not on disk yet.
//
// Idea (DiscNice, section 4.4): writing a block that is already dirty costs the disk nothing more; a dirty
// block that is deleted in time never costs anything. The paper's table is a flat array of blocks per file;
// this one keeps intervals, so that a terabyte file costs no terabyte map.
//
// Knowledge assumed: delayed write; the kernel flushes a file's dirty data when its first dirtying is older
// than an age limit.
// Inference drawn: how many new dirty bytes a write makes, how many a removal takes back.
// What breaks it: writers outside the job, early flushing under memory pressure, more files or fragments than the tables
//   hold. Forgotten regions are charged again when rewritten, never the other way round; the kernel's
//   account corrects that.
// The table may lie in memory that others damage: its counts are never believed beyond its bounds.
// Invariant: pages marked - pages removed = pages in the table + pages written back or forgotten.
#pragma once

#include <cstdint>

#include "tools/discnice/contract/io_op.hpp"
#include "tools/discnice/predictor/resting_files.hpp"

namespace discnice::predictor {

class UpdateRegions {
 public:
  static constexpr unsigned kFilesMax = 128;
  static constexpr unsigned kIntervalsMax = 12;

  /// Marks [first_page, end_page) dirty; returns how many of them were clean before.
  std::uint64_t mark(const FileId& file, std::uint64_t first_page, std::uint64_t end_page,
                     std::uint64_t now_ns);

  /// True when all of [first_page, end_page) is known to be dirty.
  [[nodiscard]] bool is_dirty(const FileId& file, std::uint64_t page, std::uint64_t now_ns) const;

  /// The file's pages from first_page on are gone (unlink, truncate); returns how many dirty ones that took
  /// back.
  std::uint64_t remove_from(const FileId& file, std::uint64_t first_page, std::uint64_t now_ns) {
    return remove(file, first_page, UINT64_MAX, now_ns);
  }

  /// Those of [first_page, end_page) are gone (a hole was punched) or are on disk now; returns how many dirty ones there were.
  std::uint64_t remove(const FileId& file, std::uint64_t first_page, std::uint64_t end_page,
                       std::uint64_t now_ns);

  /// The file was written back (fsync); forgets its regions.
  void clear(const FileId& file);

  /// Forgets everything.
  void forget_all();

  [[nodiscard]] bool is_empty() const { return file_count() == 0 && resting_count_ == 0; }
  [[nodiscard]] std::uint64_t dirty_pages() const;

  /// The table has had more files than it knows in full: the longest stretch of those that had to make room could be kept in memory behind it,
  /// kRestingBytes at its end, which is not touched before it was allowed. Until then they are forgotten.
  [[nodiscard]] bool wants_rest() const { return rest_ == Rest::wanted; }
  void allow_rest(bool is_allowed) { rest_ = is_allowed ? Rest::allowed : Rest::refused; }
  static constexpr unsigned kRestingBytes = sizeof(RestingFiles);

 private:
  enum class Rest : std::uint32_t { not_needed, wanted, allowed, refused };
  struct Interval {
    std::uint64_t first_page = 0;
    std::uint64_t end_page = 0;
  };
  struct File {
    FileId id;
    std::uint64_t dirty_since_ns = 0;
    std::uint32_t interval_count = 0;
    Interval intervals[kIntervalsMax] = {};  // sorted, apart from each other

    [[nodiscard]] std::uint32_t count() const {
      return interval_count < kIntervalsMax ? interval_count : kIntervalsMax;
    }
  };

  [[nodiscard]] unsigned file_count() const { return file_count_ < kFilesMax ? file_count_ : kFilesMax; }

  static std::uint16_t tag_of(const FileId& file);
  [[nodiscard]] unsigned index_of(const FileId& file) const;  // kFilesMax: not in the table
  File* find(const FileId& file, std::uint64_t now_ns);
  File& find_or_add(const FileId& file, std::uint64_t now_ns);
  File& add(const FileId& file, std::uint64_t dirty_since_ns);
  File* wake(const FileId& file, std::uint64_t now_ns);
  void put_to_rest(const File& file);
  void drop(unsigned index);
  static void insert(File& file, Interval added);
  static void store(File& file, const Interval* kept, std::uint32_t count, std::uint32_t newest);

  [[nodiscard]] unsigned longest_unused() const;

  std::uint64_t marks_ = 0;
  unsigned last_ = 0;  // where the file is that was marked last: the next mark is most likely of the same
  File files_[kFilesMax] = {};
  unsigned file_count_ = 0;
  // Of each file, apart from it: every new file is looked for in vain, and a look at all of them would read a cache line of each.
  std::uint16_t tags_[kFilesMax] = {};        // tag_of() its id
  std::uint64_t last_marks_[kFilesMax] = {};  // of marks_
  Rest rest_ = Rest::not_needed;
  std::uint32_t resting_count_ = 0;
  RestingFiles resting_;  // the last of all
};

}  // namespace discnice::predictor
