// SPDX-License-Identifier: MIT
// room: whether what the sort takes pushes cached input out, and how much of what it has read it gives back for that.
//
// Knowledge assumed: a full cache makes room with what was used longest ago, and of an input that was just written or read that is what is
// next to be read: each page that is fetched again pushes out the one behind it.
// Output observed: how much of the input is cached, before and after memory was taken and the disk was asked for pages.
// Inference drawn: half of what was taken, or more, is missing from the input: the cache is full, and from then on a page that has been
// read is dropped for each that is taken.
// What breaks it: others who evict pages at the same time. Then pages that were read are dropped although there was room.
#pragma once

#include <algorithm>
#include <cstdint>

namespace fastsort {

inline constexpr std::uint64_t kLookBytes = 1U << 20U;  // taken from one look to the next, at least,
inline constexpr std::uint64_t kLooksPerFile = 256;     // for a look costs time in proportion to the file

class Room {
 public:
  Room(std::uint64_t cached_bytes, std::uint64_t file_bytes)
      : expected_bytes_(cached_bytes), look_bytes_(std::max(kLookBytes, file_bytes / kLooksPerFile)) {}

  /// Notes that memory was taken for something other than the input.
  void note_memory(std::uint64_t bytes) { take(bytes); }

  /// Notes that the disk was asked for this much of the input that was not cached.
  void note_asked(std::uint64_t bytes) {
    take(bytes);
    expected_bytes_ += bytes;
  }

  /// Notes that this much of the data that was read was dropped.
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

  /// How much of the data that was read must be dropped.
  [[nodiscard]] std::uint64_t owed_bytes() const { return owed_bytes_; }

 private:
  void take(std::uint64_t bytes) {
    taken_bytes_ += bytes;
    if (is_full_) owed_bytes_ += bytes;
  }

  std::uint64_t expected_bytes_;  // cached of the input, if nothing was pushed out
  std::uint64_t look_bytes_;
  std::uint64_t taken_bytes_ = 0;  // since the last look
  std::uint64_t owed_bytes_ = 0;
  bool is_full_ = false;
};

}  // namespace fastsort
