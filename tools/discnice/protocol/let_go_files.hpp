// SPDX-License-Identifier: MIT
// let_go_files: which files the job has let go of pages of, so that one it comes back to is known by whichever process does.
//
// A table in the segment, one word a place: a file's mark lies where its key says, and the next file of that place takes it. So it is never full and
// never old: what was let go of last is known best. A mark that is lost, or a wrong byte, means that a file is taken for one that is read the first
// time, or for one that is read again; nothing else.
#pragma once

#include <cstdint>

#include "tools/discnice/protocol/layout.hpp"

namespace discnice::protocol {

/// `key`: a number that is spread over all 64 bits.
void note_let_go(Segment& segment, std::uint64_t key);

bool was_let_go(const Segment& segment, std::uint64_t key);

}  // namespace discnice::protocol
