// SPDX-License-Identifier: MIT
// stretch: a part of a file.
#pragma once

#include <cstdint>

namespace gray::filecache {

struct Stretch {
  std::uint64_t offset_bytes = 0;
  std::uint64_t length_bytes = 0;
};

}  // namespace gray::filecache
