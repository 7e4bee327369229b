// SPDX-License-Identifier: MIT
// segment_guard: keeps a program alive when somebody truncates a job's segment under it.
//
// A page of a shared mapping that its file no longer has raises SIGBUS. Where the program leaves that signal at its default, a handler
// of ours puts empty memory in the segment's place, which every part of the library reads as "no limit"; for any other address it steps
// back, and the fault ends the program as it would have.
#pragma once

#include <cstddef>

#include "tools/discnice/protocol/layout.hpp"

namespace discnice::protocol {

/// Begins to guard memory of the job that this process is a member of: its segment, its ring, the board. One caller at a time: the
/// constructor of the library, then whoever maps the board.
void guard_memory(void* start, std::size_t bytes);

/// Puts empty memory in the place of all that is guarded, and of whatever will be: this process has no right to it any more. Other threads may be
/// reading and writing there.
void let_go_of_memory();

/// Of a program of ours that maps the segments of several jobs and no other file that may shrink: guards all of them, page by page.
void guard_all_memory();

/// Whether the segment has lost its content: it was emptied by a guard, or damaged by somebody.
bool is_lost(const Segment& segment);

}  // namespace discnice::protocol
