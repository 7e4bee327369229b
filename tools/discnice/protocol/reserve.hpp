// SPDX-License-Identifier: MIT
// reserve: reserves memory of a job's segment before the memory is first touched.
//
// A new segment has memory for its first page only. The launcher would need a twelfth of its time for the tables behind it, which most jobs hardly
// use. Memory for a further page is asked for here and not simply touched:
// when /dev/shm is full, the kernel answers the call with an error, and a touch with SIGBUS.
#pragma once

#include <cstddef>

#include "tools/discnice/protocol/layout.hpp"

namespace discnice::protocol {

/// The memory that make() reserves: the accounts of a job with few processes.
inline constexpr std::size_t kFirstBytes = kFrontBytes;

/// Whether this kernel can be asked for memory later (MADV_POPULATE_WRITE, since Linux 5.14). If it cannot, make() reserves all memory.
bool can_reserve_later(Segment& segment);

/// Reserves `bytes` bytes at `start`, which lies in the segment. Returns false when no memory is left; the bytes must not be touched then.
bool reserve(Segment& segment, const void* start, std::size_t bytes);

}  // namespace discnice::protocol
