// SPDX-License-Identifier: MIT
// reserve: reserves memory of a job's segment before the memory is first touched.
//
// A new segment has memory for its first page only. Memory for the tables behind the first page would cost the launcher a twelfth of its time, and
// most jobs hardly use these tables. So a further page is reserved here before it is touched: when /dev/shm is full, the reserving call fails with
// an error, and a touch would cause SIGBUS.
#pragma once

#include <cstddef>

#include "tools/discnice/protocol/layout.hpp"

namespace discnice::protocol {

/// The memory that make() reserves: the accounts of a job with few processes.
inline constexpr std::size_t kFirstBytes = kFrontBytes;

/// Whether this kernel can be asked for memory later (MADV_POPULATE_WRITE, since Linux 5.14). If it cannot, make() reserves all memory.
bool can_reserve_later(Segment& segment);

/// Reserves `bytes` bytes at `start`, which lies in the segment. Returns false when no memory is left. The bytes must not be touched then.
bool reserve(Segment& segment, const void* start, std::size_t bytes);

}  // namespace discnice::protocol
