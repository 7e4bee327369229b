// SPDX-License-Identifier: MIT
// outlet: decides when each byte of a streamed file goes to stdout, so that no line and no record is printed in two pieces.
#pragma once

#include <cstdint>
#include <string_view>

#include "tools/gbp/line_joiner.hpp"

namespace gbp {

enum class Whole {
  automatic,  // lines, where the first piece that comes looks like text
  lines,
  bytes,    // nothing has to be whole
  records,  // all of the same length; a short last one comes last
};

class Outlet {
 public:
  /// Passes on pieces of `file_fd` with this many bytes.
  Outlet(int file_fd, std::uint64_t file_bytes, Whole whole, std::uint64_t record_bytes);

  /// Takes a piece of the file that lies at this offset. Each byte of the file must come once. Returns 0 or a negative errno.
  int take(std::uint64_t offset, std::string_view piece);

  /// To be called after the last piece: prints the rest.
  int finish();

 private:
  [[nodiscard]] int read_again(std::uint64_t offset, std::uint64_t bytes,
                               const LineJoiner::Write& write) const;

  int file_;
  std::uint64_t file_bytes_;
  Whole whole_;
  std::uint64_t whole_bytes_;  // of the records before the short last one
  LineJoiner lines_;
};

}  // namespace gbp
