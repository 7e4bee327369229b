// SPDX-License-Identifier: MIT
// other_descriptors: the descriptors of this process that are known to be no UDP sockets, so that a read or write of them costs one look at a bit.
//
// A bit is set when the kernel has said what the descriptor is. It is taken away by every call that may put a UDP socket under the number: socket(), the dup() family, a message
// that brings descriptors. A number that is closed and given to a file keeps its bit, rightly. A program that makes sockets past libc would send past it, too.
#pragma once

#include <atomic>
#include <cstdint>

namespace netnice::gate {

class OtherDescriptors {
 public:
  [[nodiscard]] bool has(int fd) const {
    return is_in_table(fd) && (words_[word_of(fd)].load(std::memory_order_relaxed) & bit_of(fd)) != 0;
  }
  /// The number of changes so far: read it before the kernel is asked about a descriptor.
  [[nodiscard]] std::uint32_t changes() const { return changes_.load(); }
  /// Adds the descriptor, unless another thread has put something new under a number since then.
  void add(int fd, std::uint32_t changes_before) {
    if (!is_in_table(fd)) return;
    words_[word_of(fd)].fetch_or(bit_of(fd));
    if (changes_.load() != changes_before) words_[word_of(fd)].fetch_and(~bit_of(fd));
  }
  /// A new descriptor has this number; a negative number is a failed call's.
  void forget(int fd) {
    changes_.fetch_add(1);
    if (is_in_table(fd)) words_[word_of(fd)].fetch_and(~bit_of(fd));
  }
  void forget_all() {
    changes_.fetch_add(1);
    for (auto& word : words_) word.store(0);
  }

 private:
  static constexpr unsigned kBits = 64;
  static constexpr unsigned kMost = 4096;  // of descriptors with higher numbers the kernel is asked each time
  static bool is_in_table(int fd) { return static_cast<unsigned>(fd) < kMost; }
  static unsigned word_of(int fd) { return static_cast<unsigned>(fd) / kBits; }
  static std::uint64_t bit_of(int fd) { return std::uint64_t{1} << (static_cast<unsigned>(fd) % kBits); }

  std::atomic<std::uint64_t> words_[kMost / kBits];
  std::atomic<std::uint32_t> changes_;
};

}  // namespace netnice::gate
