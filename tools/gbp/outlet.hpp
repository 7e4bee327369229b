// SPDX-License-Identifier: MIT
// outlet: decides when the bytes of a streamed file go to stdout, so that no line and no record is written in two pieces.
#pragma once

#include <cstdint>
#include <string_view>

#include "tools/gbp/line_joiner.hpp"

namespace gbp {

enum class Whole {
  automatic,  // lines, if the first piece looks like text; else bytes
  lines,
  bytes,    // no lines or records are kept whole
  records,  // records of equal length; a short last record is written last
};

class Outlet {
 public:
  /// For pieces of `file_fd`, a file of `file_bytes` bytes.
  Outlet(int file_fd, std::uint64_t file_bytes, Whole whole, std::uint64_t record_bytes);

  /// Takes a piece of the file at this offset. Each byte of the file must be given once. Returns 0 or a negative errno.
  int take(std::uint64_t offset, std::string_view piece);

  /// Call this after the last piece. Writes the part that comes last.
  int finish();

 private:
  [[nodiscard]] int read_again(std::uint64_t offset, std::uint64_t bytes,
                               const LineJoiner::Write& write) const;

  int file_;
  std::uint64_t file_bytes_;
  Whole whole_;
  std::uint64_t whole_bytes_;  // bytes of the records before a short last record
  LineJoiner lines_;
};

}  // namespace gbp
