// SPDX-License-Identifier: MIT
// reserve: reserves memory of a job's segment before the memory is first touched.
//
// A new segment has memory for its first page alone. With memory for the tables behind it, a launcher would take a twelfth longer, and most jobs hardly use these tables. A page
// without memory is requested here, and not simply touched: if /dev/shm is full, the kernel answers the request by an error, but a touch by SIGBUS.
#pragma once

#include <cstddef>

#include "tools/discnice/protocol/layout.hpp"

namespace discnice::protocol {

/// The bytes that make() reserves: the accounts of a job with few processes.
inline constexpr std::size_t kFirstBytes = kFrontBytes;

/// Whether this kernel can reserve memory later (MADV_POPULATE_WRITE, since 5.14). If not, make() reserves all of it.
bool can_reserve_later(Segment& segment);

/// Reserves `bytes` at `start`, which lies in the segment. False if there is no memory left; then the bytes must not be touched.
bool reserve(Segment& segment, const void* start, std::size_t bytes);

}  // namespace discnice::protocol
