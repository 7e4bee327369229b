// SPDX-License-Identifier: MIT
// reserve: memory of a job's segment, before it is first touched.
//
// A new segment has memory for its first page alone: a launcher would pay a twelfth of its time for the tables behind it, which most jobs
// hardly use. A page that has none yet is asked for here and not simply touched: with /dev/shm full the kernel answers the call by an error,
// and a touch by SIGBUS.
#pragma once

#include <cstddef>

#include "tools/discnice/protocol/layout.hpp"

namespace discnice::protocol {

/// What make() reserves: the accounts of a job of few processes.
inline constexpr std::size_t kFirstBytes = kFrontBytes;

/// Whether this kernel can be asked for memory later (MADV_POPULATE_WRITE, since 5.14). If not, make() reserves all of it.
bool can_reserve_later(Segment& segment);

/// Reserves `bytes` at `start`, which lies in the segment. False: there is none left, and they must not be touched.
bool reserve(Segment& segment, const void* start, std::size_t bytes);

}  // namespace discnice::protocol
