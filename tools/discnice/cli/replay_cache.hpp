// SPDX-License-Identifier: MIT
// replay_cache: which pages of which files a recording lets one believe to be in the page cache.
//
// Knowledge assumed: a page that was read, written or found in memory is there until the recording says otherwise.
// Output observed: the recorded answers of the kernel, and the operations.
// Inference drawn: answers to questions that nobody asked when the recording was made, as a changed model may ask them.
// What breaks it: pages that went away, or came by another process, between two answers. A page never heard of counts as absent.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>

#include "tools/discnice/contract/io_op.hpp"

namespace discnice::cli {

class ReplayCache {
 public:
  /// Takes [first_page, end_page) for resident.
  void add(const FileId& file, std::uint64_t first_page, std::uint64_t end_page);
  /// Takes [first_page, end_page) for absent.
  void remove(const FileId& file, std::uint64_t first_page, std::uint64_t end_page);
  /// How many of [first_page, end_page) are taken for resident.
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
  using Intervals = std::map<std::uint64_t, std::uint64_t>;  // first page -> end page; apart from each other

  static void join(Intervals& intervals, std::uint64_t first_page, std::uint64_t end_page);
  static void cut_out(Intervals& intervals, std::uint64_t first_page, std::uint64_t end_page);

  std::map<Key, Intervals> files_;
  std::uint64_t additions_ = 0;
};

}  // namespace discnice::cli
