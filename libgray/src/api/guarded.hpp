// SPDX-License-Identifier: MIT
// guarded: stops exceptions at the C interface.
#pragma once

#include <cerrno>
#include <new>

namespace gray::api {

/// Calls a function that returns a status and may throw. The C side must not see an exception. Returns -ENOMEM if memory ran out.
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
