// SPDX-License-Identifier: MIT
// resting_files: files with dirty data that were not written to for long. For each file one run of pages is kept.
//
// update_regions knows a hundred files in full. A program that unpacks or builds something makes thousands of files, and may remove or rewrite these files before they reach the
// disk. Most of them are written from front to back, so one stretch says all about such a file.
// The memory may be shared, and be damaged: each entry is read once (toolbox/base/read_once.hpp) and checked. Zero bytes are an empty table.
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
    // A short mark of each entry, kept apart from the entries. Nearly all files that are looked for are not in the table, and without the marks each look would wait for the
    // memory of the entries.
    std::uint8_t tags[kSets][kWays] = {};  // tag_of() its id; 0: nobody
    std::uint8_t nexts[kSets] = {};        // of a full set, the place that is given up next
    Set sets[kSets] = {};
  };

  explicit RestingFiles(Memory& memory, const Lease& lease = {}) : memory_(memory), lease_(lease) {}

  /// Adds a file that is not in the table yet. If there is no free place, it replaces an old file. Returns by how many files the table has grown: 0 or 1. A file that is too
  /// large for an entry is not added.
  unsigned put(const File& file);

  /// Removes a file. False if it is not in the table.
  bool take(const FileId& id, File* taken);

  /// Finds a file, which stays in the table. False if it is not there.
  bool look(const FileId& id, File* seen) const;

  /// For all files; walks through the whole table.
  [[nodiscard]] std::uint64_t pages() const;

  void forget_all();

 private:
  static std::uint64_t hash_of(const FileId& id);
  [[nodiscard]] unsigned find(const FileId& id, std::uint64_t hash, Entry* found) const;  // kWays: not here

  Memory& memory_;
  Lease lease_;
};

}  // namespace discnice::predictor
