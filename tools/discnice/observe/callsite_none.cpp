// SPDX-License-Identifier: MIT
// callsite_none: the empty implementation, for the library that needs only libc.
#include "tools/discnice/observe/callsite.hpp"

namespace discnice::guest {

void prepare_walks() {}

std::uint32_t walk_stack(std::uint64_t* /*frames*/, std::uint32_t /*frames_max*/, std::uint32_t /*epoch*/) {
  return 0;
}

}  // namespace discnice::guest
