// SPDX-License-Identifier: MIT
// large_call: the calls by which a program may move many bytes at once. It makes the kernel report these calls, and no others, before it makes them.
//
// Knowledge assumed: seccomp(2) and seccomp_unotify(2). A filter sees a call's number and words, not the memory that they point to. So the lengths of a vector (readv) are
// unknown, and such a call is not reported. A filter can never be removed, and children inherit it.
#pragma once

#include <cstdint>
#include <optional>

#include <linux/seccomp.h>

namespace discnice::notify {

/// Calls below these lengths are not reported, because the kernel's account tells soon enough how much they move. They take a few nanoseconds more. The limit for reads is
/// higher: a large read is often one of cached data and must stay cheap. Data that is written to a file always goes to the disk. For a write to a pipe the report is a small part
/// of the call's time.
inline constexpr std::uint32_t kLargeReadBytes = 128 * 1024;
inline constexpr std::uint32_t kLargeWriteBytes = 32 * 1024;

struct LargeCall {
  enum class Kind : std::uint8_t { read, write };
  Kind kind;  // a copy by the kernel reads; what it writes is known when it is written
  int fd;     // read from, or written to
  std::uint64_t bytes;
  bool is_at_position = true;  // of the open file; else at `offset_bytes`
  std::int64_t offset_bytes = 0;
  std::uint64_t offset_at = 0;  // where in the caller's memory the offset stands; 0: nowhere
};

/// The bytes that a reported call asks for. Empty if the call is none of these. Pure.
std::optional<LargeCall> large_call_of(const seccomp_data& data);

/// Whether the kernel reports calls without a disadvantage for the program: this process has CAP_SYS_ADMIN, or set-user-ID programs give it no rights anyway.
bool may_show_calls_for_nothing();

/// Makes the kernel report the large calls of the calling thread, and of all programs that it executes and starts. For a process that is about to become the program, so it
/// allocates nothing. If there is no way without a disadvantage, `may_lose_privileges` says whether set-user-ID programs may lose their rights; if they may not, the result is
/// -EACCES. Returns the listener's descriptor, or a negative errno.
int show_large_calls(bool may_lose_privileges);

}  // namespace discnice::notify
