// SPDX-License-Identifier: MIT
#include "tools/discnice/protocol/reserve.hpp"

#include <algorithm>

#include <sys/mman.h>
#include <sys/syscall.h>

#include "toolbox/base/raw_sys.hpp"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23  // of Linux 5.14
#endif

namespace discnice::protocol {
namespace {

using gray::base::is_raw_error;
using gray::base::raw_syscall;

// The largest page size on this machine.
#if defined(__x86_64__)
constexpr std::uint64_t kPageBytesMax = 4096;
#else
constexpr std::uint64_t kPageBytesMax = 65536;
#endif

bool populate(std::uint64_t start, std::uint64_t end) {
  return !is_raw_error(raw_syscall(SYS_madvise, static_cast<long>(start), static_cast<long>(end - start),
                                   MADV_POPULATE_WRITE));
}

}  // namespace

bool can_reserve_later(Segment& segment) {
  const auto start = reinterpret_cast<std::uint64_t>(&segment);
  return populate(start, start);  // for an empty range: the kernel only checks whether it knows the advice
}

bool reserve(Segment& segment, const void* start, std::size_t bytes) {
  if (segment.is_all_reserved != 0) return true;
  const auto first = reinterpret_cast<std::uint64_t>(&segment);
  const auto wanted = reinterpret_cast<std::uint64_t>(start);
  return populate(std::max(first, wanted & ~(kPageBytesMax - 1)), wanted + bytes);
}

}  // namespace discnice::protocol
