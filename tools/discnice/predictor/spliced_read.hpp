// SPDX-License-Identifier: MIT
// spliced_read: predicts the reads of a copy inside the kernel.
//
// Knowledge assumed: splice_direct_to_actor() and similar functions read through a pipe of PIPE_DEF_BUFFERS pages.
// Output observed: the same as for any read.
// Inference drawn: for the read-ahead a copy is a series of short reads, so its windows start smaller and move on earlier.
// What breaks it: a pipe that the program has made larger.
#pragma once

#include "tools/discnice/predictor/predictor.hpp"

namespace discnice::predictor {

/// The capacity of the kernel's own pipe. A copy asks read-ahead for no more than this at once.
inline constexpr std::uint64_t kSpliceBytes = 16 * kPageBytes;

/// Predicts the reading side of a copy of at most `length_bytes_max`.
IoEstimate estimate_spliced_read(IoOp op, std::uint64_t length_bytes_max, FileState& file, CacheShape& shape,
                                 const ResidencyOracle& oracle, std::uint64_t now_ns);

}  // namespace discnice::predictor
