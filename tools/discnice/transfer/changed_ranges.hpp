// SPDX-License-Identifier: MIT
// changed_ranges: calls that change the blocks of a part of a file without writing data there: holes and clones.
//
// Knowledge assumed: punching and zeroing drop the dirty pages inside the range. Collapsing and inserting first write all data behind the start of
//   the range. A clone writes the source's dirty data, drops the target's dirty data, and moves only metadata. A deduplication does the same, and
//   reads both files first.
// Output observed: the arguments of a call that succeeded.
// Inference drawn: which dirty regions are never written (their charge is refunded), and which regions were written (a rewrite is charged again).
// What breaks it: kernels before 6.14, where ext4 writes the data of a range to the disk before it punches the range. There the refund is wrong, and
// the job gets this range
//   without paying for it.
#pragma once

#include <cstdint>

namespace discnice::guest {

/// Called after a successful fallocate().
void note_range_changed(int fd, int mode, std::uint64_t offset_bytes, std::uint64_t length_bytes);

/// True for the requests of ioctl() that note_shared_blocks() understands.
bool shares_blocks(unsigned long request);

/// Called after such a request has succeeded. `argument` is the pointer that the program passed with the request.
void note_shared_blocks(int fd, unsigned long request, const void* argument);

}  // namespace discnice::guest
