// SPDX-License-Identifier: MIT
// announced_reads: reads that a program only announces by posix_fadvise(POSIX_FADV_WILLNEED) or readahead(). The kernel fetches their data at once.
//
// Before the call they are predicted, charged and waited for like reads. After the call the account settles them.
#pragma once

#include <cstdint>

#include <sys/types.h>

namespace discnice::guest {

/// To be called before the announcement that bytes of a file will be needed. A length of 0 reaches to the end of the file. May wait as a read does. errno is kept.
void before_announced_read(int fd, off64_t offset_bytes, std::uint64_t length_bytes);

}  // namespace discnice::guest
