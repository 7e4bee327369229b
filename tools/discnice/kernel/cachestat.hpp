// SPDX-License-Identifier: MIT
// cachestat: the kernel's count of the cached pages in a part of a file (mm/filemap.c, cachestat(), since 6.5).
#pragma once

#include <cstdint>

#include "toolbox/base/raw_sys.hpp"

namespace discnice::guest {

/// The kernel's answer, in pages, with the layout of the kernel's structure.
struct CachestatAnswer {
  std::uint64_t cached;
  std::uint64_t dirty;
  std::uint64_t in_writeback;
  std::uint64_t evicted;
  std::uint64_t recently_evicted;
};

/// Asks about a part of a file, in bytes. Returns 0, or a raw error: -EPERM for a file that the user neither owns nor may write, -ENOSYS on older kernels. Does not change errno.
inline long ask_cachestat(int fd, std::uint64_t offset_bytes, std::uint64_t length_bytes,
                          CachestatAnswer* answer) {
  constexpr long kNumber = 451;  // the same on every architecture
  struct Range {
    std::uint64_t offset_bytes;
    std::uint64_t length_bytes;
  };
  const Range range{offset_bytes, length_bytes};
  return gray::base::raw_syscall(kNumber, fd, gray::base::word(&range), gray::base::word(answer), 0);
}

}  // namespace discnice::guest
