// SPDX-License-Identifier: MIT
// waiting_call: a call that was shown and waits, and what is moved for it step by step.
//
// A read: its part of the file comes into the page cache, by a descriptor of our own, without read-ahead. Then the kernel makes the call, which finds all of it there. So nothing is
//   done in the caller's place, and whatever becomes of us the call is right.
// A copy by the kernel: such a call may copy less than it was asked for, and programs go on with the rest. A step of it is made here, on the caller's own open files.
// A write: cannot be made in parts. It waits for its turn.
#pragma once

#include <cstdint>
#include <optional>

#include <sys/types.h>

#include "toolbox/base/fd.hpp"
#include "tools/discnice/notify/large_call.hpp"
#include "tools/discnice/protocol/layout.hpp"

namespace discnice::notify {

struct WaitingCall {
  std::uint64_t id = 0;  // the kernel's
  pid_t pid = 0;
  LargeCall call{};
  gray::base::ScopedFd file;     // read from, or written to; of a read an open file of our own
  gray::base::ScopedFd to_file;  // of a copy
  std::int64_t at_bytes = 0;     // of a read: how far it has come
  std::int64_t end_bytes = 0;
  protocol::Disk* disk = nullptr;
  protocol::Disk* to_disk = nullptr;

  [[nodiscard]] bool is_read() const { return call.kind == LargeCall::Kind::read; }
  [[nodiscard]] bool is_write() const { return call.kind == LargeCall::Kind::write; }
};

/// Brings up to so much more of a read's part of the file into memory. Returns whether there is more to come.
bool bring(WaitingCall& waiting, std::uint64_t bytes);

/// Makes a copy of up to so many bytes. Returns what the caller is to get for it; nothing where the kernel had better make the call itself.
std::optional<std::int64_t> copy(WaitingCall& waiting, std::uint64_t bytes);

}  // namespace discnice::notify
