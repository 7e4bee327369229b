// SPDX-License-Identifier: MIT
// seqlock: a value that one writer replaces, and that any number of readers copy as a whole, without a lock and across processes.
//
// The sequence is odd while the writer writes. A reader that saw the same even sequence before and after its
// copy has a copy of one version. The value is kept as atomic words, so that a copy made during a write is
// stale, never a data race (H.-J. Boehm, "Can Seqlocks Get Along with Programming Language Memory Models?",
// 2012). The words themselves are stored with release and read with acquire instead of between fences: on
// x86-64 that costs nothing, and the thread sanitizer understands it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace gray::base {

/// Holds one T. Zeroed memory is a valid Seqlock of a zeroed T, so it may lie in a fresh shared mapping.
template <typename T>
class Seqlock {
  static_assert(std::is_trivially_copyable_v<T>, "the value is copied word by word");
  static_assert(std::atomic<std::uint64_t>::is_always_lock_free, "a lock would not work between processes");

 public:
  /// How often a reader tries to copy a value that keeps changing before it gives up.
  static constexpr unsigned kPassesMax = 64;

  /// Replaces the value. One writer at a time; callers with several writers hold a lock of their own.
  /// Wait-free. If a writer was killed during a store(), the next writer's store() makes the value whole again.
  void store(const T& value) {
    std::uint64_t words[kWords] = {};
    std::memcpy(words, &value, sizeof value);
    const std::uint64_t odd = sequence_.load(std::memory_order_relaxed) | 1U;  // only writers change it
    sequence_.store(odd, std::memory_order_relaxed);  // ordered before the words by their release
    for (std::size_t i = 0; i < kWords; ++i) {
      words_[i].store(words[i], std::memory_order_release);  // pairs with the acquire in try_load()
    }
    sequence_.store(odd + 1, std::memory_order_release);  // pairs with the first acquire in try_load()
  }

  /// Copies the value to `value`. Returns false and leaves `value` alone when a write was under way in each of `passes_max` passes. A writer that died during a
  /// store() leaves the value in this state. Any thread or process. Never waits.
  [[nodiscard]] bool load(T& value, unsigned passes_max = kPassesMax) const {
    for (unsigned pass = 0; pass < passes_max; ++pass) {
      if (try_load(value)) return true;
    }
    return false;
  }

  /// Twice the number of stores so far; odd while a store is under way. Tells a reader that its copy is out of date.
  [[nodiscard]] std::uint64_t sequence() const { return sequence_.load(std::memory_order_acquire); }

 private:
  static constexpr std::size_t kWords = (sizeof(T) + sizeof(std::uint64_t) - 1) / sizeof(std::uint64_t);

  bool try_load(T& value) const {
    const std::uint64_t before =
        sequence_.load(std::memory_order_acquire);  // pairs with the release at the end of store()
    if ((before & 1U) != 0) return false;
    std::uint64_t words[kWords];
    for (std::size_t i = 0; i < kWords; ++i) {
      words[i] = words_[i].load(std::memory_order_acquire);  // pairs with the release of the words in store()
    }
    // If a word came from a later store, that store's odd sequence is visible too, so this load sees the change.
    if (sequence_.load(std::memory_order_relaxed) != before) return false;
    std::memcpy(&value, words, sizeof value);
    return true;
  }

  std::atomic<std::uint64_t> sequence_{0};      // writer: the only writer
  std::atomic<std::uint64_t> words_[kWords]{};  // writer: the only writer
};

}  // namespace gray::base
