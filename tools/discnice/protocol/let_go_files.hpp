// SPDX-License-Identifier: MIT
// let_go_files: the files of which the job has dropped pages. So any process of the job can tell that a file is read again.
//
// It is a table in the segment, one word for each place. A file's mark lies at the place that its key says, and the next file of that place replaces
// it. So the table is never full, and the newest marks are the safest. A lost or damaged mark only makes a file that is read again look like a
// file that is read the first time, or the reverse.
#pragma once

#include <cstdint>

#include "tools/discnice/protocol/layout.hpp"

namespace discnice::protocol {

/// Notes that pages of this file were dropped. `key` is a number that is spread over all 64 bits.
void note_let_go(Segment& segment, std::uint64_t key);

bool was_let_go(const Segment& segment, std::uint64_t key);

}  // namespace discnice::protocol
