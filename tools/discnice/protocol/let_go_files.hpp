// SPDX-License-Identifier: MIT
// let_go_files: marks the files of which the job has dropped pages. So every process of the job recognises such a file when the job comes back to it.
//
// It is a table in the segment with one word for each place. The mark of a file lies at the place that its key gives, and the next file with that place replaces it. So the table
// is never full, and the latest files are known best. If a mark is lost, or if a byte is wrong, a file is taken for one that is read for the first time, or for one that is read
// again. Nothing else happens.
#pragma once

#include <cstdint>

#include "tools/discnice/protocol/layout.hpp"

namespace discnice::protocol {

/// `key`: a number that is spread over all 64 bits.
void note_let_go(Segment& segment, std::uint64_t key);

bool was_let_go(const Segment& segment, std::uint64_t key);

}  // namespace discnice::protocol
