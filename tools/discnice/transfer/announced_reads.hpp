// SPDX-License-Identifier: MIT
// announced_reads: reads that a program only announces, with posix_fadvise(POSIX_FADV_WILLNEED) or readahead(). The kernel starts them at once.
//
// Before the call, such a read is predicted, charged and waited for like any read. After the call, the kernel's account corrects the charge.
#pragma once

#include <cstdint>

#include <sys/types.h>

namespace discnice::guest {

/// Called before a program announces that it will need these bytes of a file. A length of 0 reaches to the end of the file. May wait like a read. Keeps errno.
void before_announced_read(int fd, off64_t offset_bytes, std::uint64_t length_bytes);

}  // namespace discnice::guest
