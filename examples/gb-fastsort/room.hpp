// SPDX-License-Identifier: MIT
// room: tells whether the sort's memory causes the eviction of cached input, and how much of the read input the sort should
// drop in return.
//
// Knowledge assumed: a full cache evicts the pages that were used longest ago. Of an input that was just written or read, these are the pages that are read
// next: each page that is fetched again causes the eviction of the page behind it.
// Output observed: how much of the input is cached, before and after memory was taken and pages were requested from the disk.
// Inference drawn: if the input has lost at least half as much as was taken, the cache is full. From then on, for each page that is taken a page that has been read is dropped.
// What breaks it: other programs that cause evictions at the same time; then read pages are dropped although there was free
// memory.
#pragma once

#include <algorithm>
#include <cstdint>

namespace fastsort {

inline constexpr std::uint64_t kLookBytes = 1U << 20U;  // at least so much is taken between two looks,
inline constexpr std::uint64_t kLooksPerFile = 256;     // because a look takes time in proportion to the file

class Room {
 public:
  Room(std::uint64_t cached_bytes, std::uint64_t file_bytes)
      : expected_bytes_(cached_bytes), look_bytes_(std::max(kLookBytes, file_bytes / kLooksPerFile)) {}

  /// Notes that memory was taken which holds none of the input.
  void note_memory(std::uint64_t bytes) { take(bytes); }

  /// Notes that `bytes` of uncached input were requested from the disk.
  void note_asked(std::uint64_t bytes) {
    take(bytes);
    expected_bytes_ += bytes;
  }

  /// Notes that `bytes` of read input were dropped.
  void note_dropped(std::uint64_t bytes) {
    expected_bytes_ -= std::min(expected_bytes_, bytes);
    owed_bytes_ -= std::min(owed_bytes_, bytes);
  }

  [[nodiscard]] bool wants_look() const { return !is_full_ && taken_bytes_ >= look_bytes_; }

  void look(std::uint64_t cached_bytes) {
    const std::uint64_t lost_bytes = expected_bytes_ - std::min(expected_bytes_, cached_bytes);
    is_full_ = lost_bytes >= taken_bytes_ / 2;
    expected_bytes_ = cached_bytes;
    taken_bytes_ = 0;
  }

  [[nodiscard]] bool is_full() const { return is_full_; }

  /// How many bytes of read input should be dropped.
  [[nodiscard]] std::uint64_t owed_bytes() const { return owed_bytes_; }

 private:
  void take(std::uint64_t bytes) {
    taken_bytes_ += bytes;
    if (is_full_) owed_bytes_ += bytes;
  }

  std::uint64_t expected_bytes_;  // cached bytes of the input if no page was pushed out
  std::uint64_t look_bytes_;
  std::uint64_t taken_bytes_ = 0;  // taken since the last look
  std::uint64_t owed_bytes_ = 0;
  bool is_full_ = false;
};

}  // namespace fastsort
