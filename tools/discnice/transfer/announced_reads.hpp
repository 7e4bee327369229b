// SPDX-License-Identifier: MIT
// announced_reads: reads that a program only announces: posix_fadvise(POSIX_FADV_WILLNEED) and readahead(). The kernel fetches them at once.
//
// Before the call they are predicted, charged and waited for as reads are. The account settles them after it.
#pragma once

#include <cstdint>

#include <sys/types.h>

namespace discnice::guest {

/// Before the announcement that bytes of a file will be needed; a length of 0 reaches to its end. May wait as a read does. errno is kept.
void before_announced_read(int fd, off64_t offset_bytes, std::uint64_t length_bytes);

}  // namespace discnice::guest
