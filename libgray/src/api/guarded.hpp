// SPDX-License-Identifier: MIT
// guarded: turns exceptions into a status, for the C interface.
#pragma once

#include <cerrno>
#include <new>

namespace gray::api {

/// Calls `work` and returns its status. An exception becomes a status, since the C caller must not see it: -ENOMEM for lack of memory, -EIO for any other.
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
