// SPDX-License-Identifier: MIT
// changed_ranges: calls that change the blocks of a part of a file without writing there: holes, clones.
//
// Knowledge assumed: punching and zeroing drop the dirty pages inside the range; collapsing and inserting write everything behind the
//   place first. A clone writes the source's dirty data, drops the target's, and moves metadata alone; so does a deduplication, which
//   reads both first.
// Output observed: the arguments of a call that succeeded.
// Inference drawn: which dirty regions were given up (refunded) and which were written (charged again when they are rewritten).
// What breaks it: kernels whose ext4 writes a range before it punches it (before 6.14). There the refund is a gift of that range.
#pragma once

#include <cstdint>

namespace discnice::guest {

/// After a successful fallocate().
void note_range_changed(int fd, int mode, std::uint64_t offset_bytes, std::uint64_t length_bytes);

/// True for the requests of ioctl() that note_shared_blocks() understands.
bool shares_blocks(unsigned long request);

/// To be called after such a request has succeeded. `argument` is what the program passed with it.
void note_shared_blocks(int fd, unsigned long request, const void* argument);

}  // namespace discnice::guest
