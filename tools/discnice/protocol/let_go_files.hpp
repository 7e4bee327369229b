// SPDX-License-Identifier: MIT
// let_go_files: the files of which the job has dropped pages. By this table any process of the job notices that a file is
// read again.
//
// It is a table in the segment, one word for each place. A file's key gives the place of its mark, and the next file with the same place replaces
// the mark. So the table is never full, and the newest marks are the most likely to be still there. A lost or damaged mark only makes a file that is
// read again look like a file that is read the first time, or the reverse.
#pragma once

#include <cstdint>

#include "tools/discnice/protocol/layout.hpp"

namespace discnice::protocol {

/// Notes that pages of this file were dropped. `key` is a number that is spread over all 64 bits.
void note_let_go(Segment& segment, std::uint64_t key);

bool was_let_go(const Segment& segment, std::uint64_t key);

}  // namespace discnice::protocol
