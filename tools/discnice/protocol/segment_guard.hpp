// SPDX-License-Identifier: MIT
// segment_guard: keeps a program alive if somebody truncates the segment of its job.
//
// A page of a shared mapping that its file no longer has raises SIGBUS. If the program has no handler for that signal, the library sets one. The handler puts empty memory in the
// place of the segment, which every part of the library reads as "no limit". For any other address the handler restores the default, and the fault ends the program as it would
// without the library.
#pragma once

#include <cstddef>

#include "tools/discnice/protocol/layout.hpp"

namespace discnice::protocol {

/// Begins to guard memory of the job of this process: its segment, its ring, the board. One caller at a time: first the constructor of the library, later the code that maps the
/// board.
void guard_memory(void* start, std::size_t bytes);

/// Replaces all guarded memory, and all memory that will be guarded, by empty memory, because this process has no right to it any more. Other threads may read and write there
/// meanwhile.
void let_go_of_memory();

/// For a program of this project that maps the segments of several jobs and no other file that may shrink: guards all segments, page by page.
void guard_all_memory();

/// Whether the segment has lost its content, because a guard emptied it or because somebody damaged it.
bool is_lost(const Segment& segment);

}  // namespace discnice::protocol
