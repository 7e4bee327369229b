// SPDX-License-Identifier: MIT
// fullness: tells whether the cache is full. When the cache is full, each fetched page causes the eviction of another page of the file, which the
// next scan has to fetch again.
//
// Knowledge assumed: the kernel evicts the page that was used longest ago. When a file is scanned again and again, that is the page which comes next. At a limit the kernel
// evicts some ten MiB at a time, even for one page.
// Output observed: the free memory below the limit of a control group (the room). Without a limit: how much of the file is cached before and after a part of it
// was fetched, and which of its parts were evicted in between.
// Inference drawn: with a limit, pages fit until the room is used up. Pages fetched after that are dropped again, so the limit is never reached. Without a
// limit the cache counts as full in two cases. In the first case the file's cached bytes grew twice in a row by less than half of the fetched bytes. In the
// second case enough of the parts that were cached at the start has been evicted.
// What breaks it: memory that other programs take in the meantime, and pages that they make the kernel evict. Without a limit, a file counts as fitting if less than two steps of
// it are missing. This fault costs little, because the file's cached parts are read first.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "toolbox/base/units.hpp"

namespace gbp {

/// The room that stays free for the next piece, and for memory that the kernel counts late.
inline constexpr std::uint64_t kReserveBytes = gray::base::kMiB / 2;

class Fullness {
 public:
  static constexpr std::uint64_t kRoomUnknown = std::numeric_limits<std::uint64_t>::max();

  explicit Fullness(std::uint64_t file_bytes) : step_bytes_(step_bytes(file_bytes)) {}

  /// The bytes requested between two calls of look(). It is also the amount of evicted bytes that proves a full cache.
  static std::uint64_t step_bytes(std::uint64_t file_bytes) {
    return std::max(gray::base::kMiB, file_bytes / kLooksMax);
  }

  [[nodiscard]] bool is_full() const {
    return is_room_known() ? room_bytes_ < brought_bytes_ + kReserveBytes : is_full_ || is_evicting_;
  }

  /// Whether look() must be called before more bytes are requested.
  [[nodiscard]] bool wants_look() const {
    const bool is_decided = is_unknown_ || (!is_room_known() && has_looked_ && is_full());
    return !is_decided && (!has_looked_ || asked_bytes_ >= step_bytes_);
  }

  /// Notes how much of the file is cached now, and how much room a limit leaves.
  void look(std::uint64_t cached_bytes, std::uint64_t room_bytes = kRoomUnknown) {
    if (has_looked_ && brought_bytes_ >= step_bytes_ / 2) {
      const bool has_grown = cached_bytes >= before_bytes_ + brought_bytes_ / 2;
      is_full_ = !has_grown && !has_grown_;
      has_grown_ = has_grown;
    }
    has_looked_ = true;
    before_bytes_ = cached_bytes;
    room_bytes_ = room_bytes;
    brought_bytes_ = 0;
    asked_bytes_ = 0;
  }

  /// Notes that the cached share cannot be found without fetching pages.
  void give_up() { is_unknown_ = true; }

  /// Notes that `bytes` uncached bytes are requested now. The kernel allocates their pages at the request, before the data arrives.
  void note_asked(std::uint64_t bytes) {
    brought_bytes_ += bytes;
    asked_bytes_ += bytes;
  }

  /// Notes that `bytes` of the requested bytes were dropped from the cache.
  void note_given_back(std::uint64_t bytes) { brought_bytes_ -= std::min(brought_bytes_, bytes); }

  /// Notes how many bytes that were cached at the start have been found evicted so far.
  void note_evicted(std::uint64_t bytes_so_far) {
    is_evicting_ = is_evicting_ || bytes_so_far >= step_bytes_;
  }

 private:
  static constexpr std::uint64_t kLooksMax = 64;  // in a file

  [[nodiscard]] bool is_room_known() const { return room_bytes_ != kRoomUnknown; }

  std::uint64_t step_bytes_;
  std::uint64_t brought_bytes_ = 0;  // requested since the last look, and not given back
  std::uint64_t asked_bytes_ = 0;    // requested since the last look
  std::uint64_t before_bytes_ = 0;   // the cached bytes at the last look
  std::uint64_t room_bytes_ = kRoomUnknown;
  bool has_looked_ = false;
  bool has_grown_ = true;
  bool is_evicting_ = false;
  bool is_full_ = false;
  bool is_unknown_ = false;
};

}  // namespace gbp
