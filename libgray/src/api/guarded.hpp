// SPDX-License-Identifier: MIT
// guarded: exceptions end here, at the C interface.
#pragma once

#include <cerrno>
#include <new>

namespace gray::api {

/// Calls what returns a status and may throw, for the C side, which must not see it. -ENOMEM where memory ran out.
template <typename Work>
int guarded(Work work) {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    return -ENOMEM;
  } catch (...) {
    return -EIO;
  }
}

}  // namespace gray::api
