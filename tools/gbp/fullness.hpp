// SPDX-License-Identifier: MIT
// fullness: whether the cache is full, so that each page of a file that is brought in pushes out another one, which the next scan will miss.
//
// Knowledge assumed: the kernel evicts what was used longest ago, and of a file scanned again and again that is what comes next. At a limit it
// evicts some ten MiB at a time, though it be for one page.
// Output observed: the room below the limit of a control group; where there is none, how much of the file is cached, before and after some of
// it was brought in, and what of it is evicted meanwhile.
// Inference drawn: what comes fits till the room is used up; what comes then is given back, and the limit is never met. Without a limit: twice
// the file grew by less than half of what came, or a part of what was cached at the start is gone: as much of it will be evicted with all
// that comes.
// What breaks it: what others take and evict meanwhile. Without a limit, a file of which less than two looks' worth is missing: it is taken for
// one that fits, which costs little while the cached parts are read first.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "toolbox/base/units.hpp"

namespace gbp {

/// What stays free: what the next piece takes, and what the kernel counts late.
inline constexpr std::uint64_t kReserveBytes = gray::base::kMiB / 2;

class Fullness {
 public:
  static constexpr std::uint64_t kRoomUnknown = std::numeric_limits<std::uint64_t>::max();

  explicit Fullness(std::uint64_t file_bytes) : step_bytes_(step_bytes(file_bytes)) {}

  /// So much comes from one look to the next, and so much has to be found evicted.
  static std::uint64_t step_bytes(std::uint64_t file_bytes) {
    return std::max(gray::base::kMiB, file_bytes / kLooksMax);
  }

  [[nodiscard]] bool is_full() const {
    return is_room_known() ? room_bytes_ < brought_bytes_ + kReserveBytes : is_full_ || is_evicting_;
  }

  /// Whether look() is to be called before more is asked for.
  [[nodiscard]] bool wants_look() const {
    const bool is_decided = is_unknown_ || (!is_room_known() && has_looked_ && is_full());
    return !is_decided && (!has_looked_ || asked_bytes_ >= step_bytes_);
  }

  /// So much of the file is cached now, and a limit leaves so much room.
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

  /// Nobody can tell without fetching pages.
  void give_up() { is_unknown_ = true; }

  /// So many bytes that were not cached are asked for now: their pages are there, though empty, as soon as they have been asked for.
  void note_asked(std::uint64_t bytes) {
    brought_bytes_ += bytes;
    asked_bytes_ += bytes;
  }

  /// So many of them were given back.
  void note_given_back(std::uint64_t bytes) { brought_bytes_ -= std::min(brought_bytes_, bytes); }

  /// So many bytes that were cached at the start have been found evicted so far.
  void note_evicted(std::uint64_t bytes_so_far) {
    is_evicting_ = is_evicting_ || bytes_so_far >= step_bytes_;
  }

 private:
  static constexpr std::uint64_t kLooksMax = 64;  // in a file

  [[nodiscard]] bool is_room_known() const { return room_bytes_ != kRoomUnknown; }

  std::uint64_t step_bytes_;
  std::uint64_t brought_bytes_ = 0;  // since the last look, and not given back
  std::uint64_t asked_bytes_ = 0;    // since the last look
  std::uint64_t before_bytes_ = 0;   // what was cached then
  std::uint64_t room_bytes_ = kRoomUnknown;
  bool has_looked_ = false;
  bool has_grown_ = true;
  bool is_evicting_ = false;
  bool is_full_ = false;
  bool is_unknown_ = false;
};

}  // namespace gbp
