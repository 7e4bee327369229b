// SPDX-License-Identifier: MIT
// resting_files: files with dirty data that were not written to for long, a stretch of pages each.
//
// update_regions knows a hundred files in full. A program that unpacks or builds something makes thousands, and may remove or rewrite them
// before they reach the disk. Most of them are written from front to back, so one stretch says all about such a file.
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
    // Of each entry, apart from it: nearly all files that are looked for are not here, and a look at their sets would wait for memory each time.
    std::uint8_t tags[kSets][kWays] = {};  // tag_of() its id; 0: nobody
    std::uint8_t nexts[kSets] = {};        // of a full set, the place that is given up next
    Set sets[kSets] = {};
  };

  explicit RestingFiles(Memory& memory, const Lease& lease = {}) : memory_(memory), lease_(lease) {}

  /// Takes a file in, which is not here, in the place of one that came long ago where there is no other. Returns how many more there are now: 0
  /// or 1. What is too large for an entry is not taken.
  unsigned put(const File& file);

  /// Takes a file out. False: it is not here.
  bool take(const FileId& id, File* taken);

  /// The file, which stays. False: it is not here.
  bool look(const FileId& id, File* seen) const;

  /// Of all files; walks through the whole table.
  [[nodiscard]] std::uint64_t pages() const;

  void forget_all();

 private:
  static std::uint64_t hash_of(const FileId& id);
  [[nodiscard]] unsigned find(const FileId& id, std::uint64_t hash, Entry* found) const;  // kWays: not here

  Memory& memory_;
  Lease lease_;
};

}  // namespace discnice::predictor
