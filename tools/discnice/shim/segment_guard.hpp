// SPDX-License-Identifier: MIT
// segment_guard: keeps the program alive when somebody truncates the job's segment under it.
//
// A page of a shared mapping that its file no longer has raises SIGBUS. Where the program itself leaves that signal at its default, a
// handler of ours puts empty memory in the segment's place, which every part of the library reads as "no limit"; for any other address
// it steps back, and the fault ends the program as it would have.
#pragma once

#include "tools/discnice/protocol/layout.hpp"

namespace discnice::shim {

/// Begins to guard. Once, from the constructor.
void guard_segment(protocol::Segment& segment);

}  // namespace discnice::shim
