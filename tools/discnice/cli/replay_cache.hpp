// SPDX-License-Identifier: MIT
// replay_cache: the pages that are in the page cache, as far as a recording tells.
//
// Knowledge assumed: a page that was read, written or found in memory stays in memory until the recording says otherwise.
// Output observed: the recorded answers of the kernel, and the operations.
// Inference drawn: the kernel's answers to questions that were not asked when the recording was made. A changed model may ask
//   such questions.
// What breaks it: pages that were dropped, or that another process brought in, between two answers. A page that the recording does not name counts as
//   absent.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>

#include "tools/discnice/contract/io_op.hpp"

namespace discnice::cli {

class ReplayCache {
 public:
  /// Marks the pages [first_page, end_page) as resident.
  void add(const FileId& file, std::uint64_t first_page, std::uint64_t end_page);
  /// Marks the pages [first_page, end_page) as absent.
  void remove(const FileId& file, std::uint64_t first_page, std::uint64_t end_page);
  /// Returns how many of the pages [first_page, end_page) are marked as resident.
  [[nodiscard]] std::uint64_t count(const FileId& file, std::uint64_t first_page,
                                    std::uint64_t end_page) const;

 private:
  struct Key {
    std::uint64_t device;
    std::uint64_t inode;
    friend bool operator<(const Key& a, const Key& b) {
      return std::tie(a.device, a.inode) < std::tie(b.device, b.inode);
    }
  };
  // Maps the first page of each interval to its end page. The intervals do not touch.
  using Intervals = std::map<std::uint64_t, std::uint64_t>;

  static void join(Intervals& intervals, std::uint64_t first_page, std::uint64_t end_page);
  static void cut_out(Intervals& intervals, std::uint64_t first_page, std::uint64_t end_page);

  std::map<Key, Intervals> files_;
  std::uint64_t additions_ = 0;
};

}  // namespace discnice::cli
