// SPDX-License-Identifier: MIT
// waiting_call: a shown call that waits, and the steps in which its data is read.
//
// For a read, and for a copy by the kernel, the part of the file that it reads is brought into the page cache. Then the kernel makes the call, and finds all of the
// data there. The kernel makes the call itself for the caller. So the result is right even if this program ends, or if a signal makes the call begin again. A
// write cannot be made in parts. It waits for its turn.
//
// Knowledge assumed: posix_fadvise(POSIX_FADV_WILLNEED) reads only the given range, and does not change the open file's read-ahead (force_page_cache_ra() of
//   mm/readahead.c). So the caller's own open file can be used. An open file of this program would break leases on the file, and programs that watch the file would
//   see it.
#pragma once

#include <cstdint>

#include <sys/types.h>

#include "toolbox/base/fd.hpp"
#include "tools/discnice/notify/large_call.hpp"
#include "tools/discnice/protocol/layout.hpp"

namespace discnice::notify {

struct WaitingCall {
  std::uint64_t id = 0;  // the kernel's number of the call
  pid_t thread = 0;
  pid_t pid = 0;
  LargeCall call{};
  gray::base::ScopedFd file;  // for a read: the caller's open file
  std::int64_t at_bytes = 0;  // for a read: the place up to which the data was brought in
  std::int64_t end_bytes = 0;
  protocol::Disk* disk = nullptr;

  [[nodiscard]] bool is_write() const { return call.kind == LargeCall::Kind::write; }
};

/// Brings up to `bytes` more of the read's data into memory. Returns whether more data is to be brought.
bool bring(WaitingCall& waiting, std::uint64_t bytes);

}  // namespace discnice::notify
