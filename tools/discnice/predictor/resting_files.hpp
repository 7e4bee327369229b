// SPDX-License-Identifier: MIT
// resting_files: files with dirty data that were not written to for a long time, with one range of pages for each file.
//
// update_regions knows a hundred files in full. A program that unpacks or builds something makes thousands of files, and may remove or rewrite them
// before they reach the disk. Most of them are written from front to back, so one range is enough for such a file. The memory may be shared, and may
// be damaged: each entry is read once (toolbox/base/read_once.hpp) and checked. Zero bytes are an empty table.
#pragma once

#include <cstdint>

#include "tools/discnice/contract/io_op.hpp"
#include "tools/discnice/contract/lease.hpp"

namespace discnice::predictor {

class RestingFiles {
 public:
  static constexpr unsigned kSets = 1024;
  static constexpr unsigned kWays = 8;

  struct File {
    FileId id;
    std::uint64_t dirty_since_ns = 0;
    std::uint64_t first_page = 0;
    std::uint64_t end_page = 0;
  };

 private:
  struct Entry {
    std::uint64_t inode = 0;
    std::uint64_t first_page = 0;
    std::uint64_t dirty_since_ns = 0;
    std::uint32_t device = 0;
    std::uint32_t pages = 0;
  };
  using Set = Entry[kWays];

 public:
  struct Memory {
    // The tags are kept apart from the entries: nearly all files that are looked up are not in this table, and each look-up in the entries would wait for
    // memory.
    std::uint8_t tags[kSets][kWays] = {};  // tag_of() the id; 0: no file
    std::uint8_t nexts[kSets] = {};        // in a full set, the place that is given up next
    Set sets[kSets] = {};
  };

  explicit RestingFiles(Memory& memory, const Lease& lease = {}) : memory_(memory), lease_(lease) {}

  /// Adds a file that is not in the table. The table consists of sets of entries. When the file's set is full, the new file replaces a file that was
  /// added long ago. Returns by how many files the table has grown: 0 or 1. A file that is too large for an entry is not added.
  unsigned put(const File& file);

  /// Takes a file out of the table. Returns false when the file is not in the table.
  bool take(const FileId& id, File* taken);

  /// Looks a file up, and leaves it in the table. Returns false when the file is not in the table.
  bool look(const FileId& id, File* seen) const;

  /// The pages of all files. Walks through the whole table.
  [[nodiscard]] std::uint64_t pages() const;

  void forget_all();

 private:
  static std::uint64_t hash_of(const FileId& id);
  [[nodiscard]] unsigned find(const FileId& id, std::uint64_t hash,
                              Entry* found) const;  // kWays: not in the table

  Memory& memory_;
  Lease lease_;
};

}  // namespace discnice::predictor
