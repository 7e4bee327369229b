// SPDX-License-Identifier: MIT
#include "tools/discnice/predictor/spliced_read.hpp"

namespace discnice::predictor {

IoEstimate estimate_spliced_read(IoOp op, std::uint64_t length_bytes_max, FileState& file, CacheShape& shape,
                                 const ResidencyOracle& oracle, std::uint64_t now_ns) {
  IoEstimate sum;
  std::uint64_t left_bytes = op.length_bytes < length_bytes_max ? op.length_bytes : length_bytes_max;
  while (left_bytes > 0 && op.offset_bytes < op.file_size_bytes) {
    op.length_bytes = left_bytes < kSpliceBytes ? left_bytes : kSpliceBytes;
    sum.read_bytes += estimate_read(op, file, shape, oracle, now_ns).read_bytes;
    op.offset_bytes += op.length_bytes;
    left_bytes -= op.length_bytes;
  }
  return sum;
}

}  // namespace discnice::predictor
