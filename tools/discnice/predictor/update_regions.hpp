// SPDX-License-Identifier: MIT
// update_regions: remembers which blocks of which files are dirty in memory and not on the disk yet.
//
// Idea (DiscNice, section 4.4): a write to a block that is already dirty causes no further disk traffic. A dirty block that is deleted before the kernel writes
//   it causes no disk traffic at all. The paper's table is a flat array of blocks for each file. This table keeps intervals, so that a terabyte file does not
//   need a terabyte map.
//
// Knowledge assumed: delayed write; the kernel flushes a file's dirty data when its first dirtying is older than an age limit.
// Inference drawn: how many new dirty bytes a write makes, and how many dirty bytes a removal cancels.
// What breaks it: writers outside the job, early flushing under memory pressure, more files or fragments than the tables hold. A rewrite of a
//   forgotten region is charged again; forgetting never makes a write free. The kernel's account corrects the charge. The memory may be shared and
//   damaged, for example by a holder that goes on after it was taken for dead. So a file's entry is read once into a local copy, checked
//   (toolbox/base/read_once.hpp) and changed there. Only a process that still holds the table writes it back. An entry with impossible values is
//   forgotten. Whatever values the memory has, a mark never returns more pages than the marked range has.
// Invariant: pages marked - pages removed = pages in the table + pages written back or forgotten.
#pragma once

#include <cstdint>

#include "tools/discnice/contract/io_op.hpp"
#include "tools/discnice/contract/lease.hpp"
#include "tools/discnice/predictor/resting_files.hpp"

namespace discnice::predictor {

class UpdateRegions {
 public:
  static constexpr unsigned kFilesMax = 128;
  static constexpr unsigned kIntervalsMax = 12;

 private:
  struct Interval {
    std::uint64_t first_page;
    std::uint64_t end_page;
  };
  struct EntryHead {
    FileId id;
    std::uint64_t dirty_since_ns = 0;
    std::uint64_t interval_count = 0;
  };
  struct Entry {
    EntryHead head;
    Interval intervals[kIntervalsMax] = {};  // sorted, with gaps between them
  };

 public:
  struct Memory {
    std::uint64_t marks = 0;
    std::uint32_t last = 0;  // the file that was marked last; the next mark is most likely for the same file
    std::uint32_t file_count = 0;
    Entry files[kFilesMax] = {};
    // The tags are kept apart from the files. The look-up of a new file finds nothing, and a search through all entries would read one cache
    // line for each entry.
    std::uint16_t tags[kFilesMax] = {};        // tag_of() its id
    std::uint64_t last_marks[kFilesMax] = {};  // the value of `marks` at the file's last mark
    std::uint32_t rest = 0;                    // a value of Rest
    std::uint32_t resting_count = 0;
    RestingFiles::Memory resting;  // the last member of all
  };

  explicit UpdateRegions(Memory& memory, const Lease& lease = {}) : memory_(memory), lease_(lease) {}

  /// Marks [first_page, end_page) dirty. Returns how many of these pages were clean before.
  std::uint64_t mark(const FileId& file, std::uint64_t first_page, std::uint64_t end_page,
                     std::uint64_t now_ns);

  /// True when the page is known to be dirty.
  [[nodiscard]] bool is_dirty(const FileId& file, std::uint64_t page, std::uint64_t now_ns) const;

  /// Notes that the file's pages from first_page on are gone (unlink, truncate). Returns how many of them were dirty.
  std::uint64_t remove_from(const FileId& file, std::uint64_t first_page, std::uint64_t now_ns) {
    return remove(file, first_page, UINT64_MAX, now_ns);
  }

  /// Notes that the pages [first_page, end_page) are gone (a hole was punched) or are on the disk now. Returns how many of them
  /// were dirty.
  std::uint64_t remove(const FileId& file, std::uint64_t first_page, std::uint64_t end_page,
                       std::uint64_t now_ns);

  /// Forgets the regions of a file that was written back (fsync).
  void clear(const FileId& file);

  /// Forgets everything.
  void forget_all();

  [[nodiscard]] bool is_empty() const { return file_count() == 0 && resting_count() == 0; }
  [[nodiscard]] std::uint64_t dirty_pages() const;

  /// True when the table has had more files than it has entries for. Then the longest range of each file that lost its entry could be kept in the
  /// memory behind the table (the last kRestingBytes). This memory is not touched before the caller has allowed it. Until then such files are
  /// forgotten.
  [[nodiscard]] bool wants_rest() const { return rest_is(Rest::wanted); }
  void allow_rest(bool is_allowed) { set_rest(is_allowed ? Rest::allowed : Rest::refused); }
  static constexpr unsigned kRestingBytes = sizeof(RestingFiles::Memory);

 private:
  enum class Rest : std::uint32_t { not_needed, wanted, allowed, refused };

  // This process's working copy of a file's entry. It has room for one interval more than an entry, because a mark may add an interval and a removal may cut an
  // interval in two.
  struct File {
    // cppcheck-suppress uninitMemberVar
    File() = default;
    // cppcheck-suppress uninitMemberVar
    File(const FileId& file, std::uint64_t since_ns) : id(file), dirty_since_ns(since_ns) {}

    FileId id;
    std::uint64_t dirty_since_ns = 0;
    unsigned count = 0;
    // Only the first `count` intervals are set; setting the others would take longer than everything else.
    Interval intervals[kIntervalsMax + 1];

    void append(const Interval& one) {
      if (count <= kIntervalsMax) intervals[count++] = one;
    }
    [[nodiscard]] std::uint64_t pages_in(std::uint64_t first_page, std::uint64_t end_page) const;
  };

  static std::uint16_t tag_of(const FileId& file);
  static void insert(File& file, Interval added);
  static void forget_shortest(File& file, unsigned newest);

  [[nodiscard]] unsigned file_count() const;
  [[nodiscard]] std::uint32_t resting_count() const;
  [[nodiscard]] bool rest_is(Rest rest) const {
    return gray::base::read_once(memory_.rest) == static_cast<std::uint32_t>(rest);
  }
  void set_rest(Rest rest);
  [[nodiscard]] bool has_resting() const { return resting_count() != 0 && rest_is(Rest::allowed); }
  void count_resting(std::uint32_t more, std::uint32_t less);

  // index_of(), find() and wake() return kFilesMax for a file that is not in the table.
  [[nodiscard]] unsigned index_of(const FileId& file) const;
  unsigned find(const FileId& file, std::uint64_t now_ns, File* found);
  [[nodiscard]] bool is_rewrite(const FileId& file, std::uint64_t first_page, std::uint64_t end_page,
                                std::uint64_t now_ns, unsigned* index) const;
  unsigned wake(const FileId& file, std::uint64_t now_ns, File* woken);

  [[nodiscard]] bool load(unsigned index, File* file) const;  // false: the entry makes no sense
  void store(unsigned index, const File& file);
  unsigned add(const File& file);
  void note_mark(unsigned index);
  void drop(unsigned index);
  void put_to_rest(const File& file);
  [[nodiscard]] unsigned longest_unused() const;

  [[nodiscard]] RestingFiles resting() const { return RestingFiles(memory_.resting, lease_); }

  Memory& memory_;
  Lease lease_;
};

}  // namespace discnice::predictor
