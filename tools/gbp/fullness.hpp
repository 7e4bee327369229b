// SPDX-License-Identifier: MIT
// fullness: whether the cache is full, so that each page of a file that is brought in pushes out another one, which the next scan will miss.
//
// Knowledge assumed: the kernel evicts what was used longest ago, and of a file scanned again and again that is what comes next.
// Output observed: how much of the file is cached, before and after some of it was brought in; and what of it is evicted meanwhile.
// Inference drawn: twice it grew by less than half of what came, or a part of what was cached at the start is gone: as much of the file will
// be evicted with all that comes.
// What breaks it: what others evict meanwhile, and a file of which less than two looks' worth is missing: it is taken for one that fits, which
// costs little while the cached parts are read first.
#pragma once

#include <algorithm>
#include <cstdint>

#include "toolbox/base/units.hpp"

namespace gbp {

class Fullness {
 public:
  explicit Fullness(std::uint64_t file_bytes) : step_bytes_(step_bytes(file_bytes)) {}

  /// So much comes from one look to the next, and so much has to be found evicted.
  static std::uint64_t step_bytes(std::uint64_t file_bytes) {
    return std::max(gray::base::kMiB, file_bytes / kLooksMax);
  }

  [[nodiscard]] bool is_full() const { return is_full_; }

  /// Whether look() is to be called before more is asked for.
  [[nodiscard]] bool wants_look() const {
    return !is_full_ && !is_unknown_ && (brought_bytes_ == 0 || brought_bytes_ >= step_bytes_);
  }

  /// So much of the file is cached now.
  void look(std::uint64_t cached_bytes) {
    const bool has_grown = brought_bytes_ == 0 || cached_bytes >= before_bytes_ + brought_bytes_ / 2;
    is_full_ = !has_grown && !has_grown_;
    has_grown_ = has_grown;
    before_bytes_ = cached_bytes;
    brought_bytes_ = 0;
  }

  /// Nobody can tell without fetching pages.
  void give_up() { is_unknown_ = true; }

  /// So many bytes that were not cached are asked for now: their pages are there, though empty, as soon as they have been asked for.
  void note_asked(std::uint64_t bytes) { brought_bytes_ += bytes; }

  /// So many bytes that were cached at the start have been found evicted so far.
  void note_evicted(std::uint64_t bytes_so_far) { is_full_ = is_full_ || bytes_so_far >= step_bytes_; }

 private:
  static constexpr std::uint64_t kLooksMax = 64;  // in a file

  std::uint64_t step_bytes_;
  std::uint64_t brought_bytes_ = 0;  // since the last look
  std::uint64_t before_bytes_ = 0;   // what was cached then
  bool has_grown_ = true;
  bool is_full_ = false;
  bool is_unknown_ = false;
};

}  // namespace gbp
