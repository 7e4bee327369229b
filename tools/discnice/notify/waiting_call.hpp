// SPDX-License-Identifier: MIT
// waiting_call: a reported call that waits, and the data that is moved for it step by step.
//
// For a read, and for a copy inside the kernel, the part of the file that it reads is brought into the page cache. Then the kernel makes the call, which finds all of this data
// there. discnice does nothing in the caller's place. So the result is right whatever happens to discnice, and however often the call begins again after a signal. A write cannot
// be made in parts. It waits for its turn.
//
// Knowledge assumed: posix_fadvise(POSIX_FADV_WILLNEED) reads what it is told and no more, and leaves the open file's read-ahead as it is (force_page_cache_ra() of mm/readahead.c). So the
//   caller's own open file can be used: one of our own would break its leases, and be seen by who watches the file.
#pragma once

#include <cstdint>

#include <sys/types.h>

#include "toolbox/base/fd.hpp"
#include "tools/discnice/notify/large_call.hpp"
#include "tools/discnice/protocol/layout.hpp"

namespace discnice::notify {

struct WaitingCall {
  std::uint64_t id = 0;  // the kernel's
  pid_t thread = 0;
  pid_t pid = 0;
  LargeCall call{};
  gray::base::ScopedFd file;  // of a read: the caller's open file
  std::int64_t at_bytes = 0;  // of a read: how far it has come
  std::int64_t end_bytes = 0;
  protocol::Disk* disk = nullptr;

  [[nodiscard]] bool is_write() const { return call.kind == LargeCall::Kind::write; }
};

/// Brings up to this many more bytes of a read's part of the file into memory. Returns whether there are more.
bool bring(WaitingCall& waiting, std::uint64_t bytes);

}  // namespace discnice::notify
