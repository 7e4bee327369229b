// SPDX-License-Identifier: MIT
// segment_guard: keeps a program alive when another process truncates the job's segment.
//
// An access to a page of a shared mapping raises SIGBUS when the file no longer has that page. When the program has no handler for this signal, a
// handler of the library puts empty memory in the place of the segment. Every part of the library reads empty memory as "no limit". For any other
// address the handler restores the default, and the fault ends the program as it would have without the library.
#pragma once

#include <cstddef>

#include "tools/discnice/protocol/layout.hpp"

namespace discnice::protocol {

/// Begins to guard memory of this process's job: its segment, its ring, the board. Only one thread may call it at a time: first the constructor of
/// the library, then the thread that maps the board.
void guard_memory(void* start, std::size_t bytes);

/// Puts empty memory in the place of all guarded memory, and of all memory that is guarded later, because this process no longer has a right to it.
/// Other threads may be reading and writing there.
void let_go_of_memory();

/// Used by a program of this project that maps the segments of several jobs and no other file that may shrink. Guards all of its memory, page by
/// page.
void guard_all_memory();

/// Whether the segment has lost its content, because a guard has emptied it or another process has damaged it.
bool is_lost(const Segment& segment);

}  // namespace discnice::protocol
