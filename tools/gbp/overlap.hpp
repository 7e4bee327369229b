// SPDX-License-Identifier: MIT
// overlap: decides whether the disk fetches the missing parts of a file while the reader still works on the cached parts, and how far ahead.
//
// Knowledge assumed: pages that are being fetched need memory. When the cache is full, this memory is taken from cached parts. This memory is one
// window in total, because a fetched part is passed on and leaves its memory to the next part.
// Output observed: how fast the reader takes the data.
// Inference drawn: a slow reader has work of its own between its reads (a sort, a compressor); without overlap the disk would be idle in that time. For a
// fast reader overlap saves no time, and it is better to keep the cached parts for the next scan.
// What breaks it: a reader that pauses once for another reason. Such a pause costs one window.
#pragma once

#include <algorithm>
#include <cstdint>

#include "toolbox/base/units.hpp"

namespace gbp {

/// The reader's speed is judged only after it has taken this many bytes.
inline constexpr std::uint64_t kPaceBytesMin = 16 * gray::base::kMiB;

class Overlap {
 public:
  explicit Overlap(std::uint64_t file_bytes) : file_bytes_(file_bytes) {}

  /// Notes that the reader has taken `bytes` more bytes, and that all bytes so far took `total_s` seconds.
  void note_taken(std::uint64_t bytes, double total_s) {
    taken_bytes_ += bytes;
    if (taken_bytes_ >= kPaceBytesMin)
      pays_ = pays_ || static_cast<double>(taken_bytes_) < kSlowBytesPerS * total_s;
  }

  /// Whether overlap saves time. Once true, it stays true.
  [[nodiscard]] bool pays() const { return pays_; }

  /// How many bytes are requested ahead at a time: enough to keep the disk at work, or as much as it fetches while a sort works on some ten MiB. It is less for a small file.
  [[nodiscard]] std::uint64_t window_bytes() const {
    return std::clamp(file_bytes_ / (pays_ ? 24 : 128), gray::base::kMiB,
                      (pays_ ? 12 : 4) * gray::base::kMiB);
  }

 private:
  static constexpr double kSlowBytesPerS =
      500e6;  // grep takes some two GB a second, a sort of short records 400 MB

  std::uint64_t file_bytes_;
  std::uint64_t taken_bytes_ = 0;
  bool pays_ = false;
};

}  // namespace gbp
