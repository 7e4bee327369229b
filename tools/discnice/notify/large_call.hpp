// SPDX-License-Identifier: MIT
// large_call: the calls by which a program may move much at once, and how the kernel is asked to show us these, and no others, before it makes them.
//
// Knowledge assumed: seccomp(2) and seccomp_unotify(2). A filter sees a call's number and words, not the memory that they point to. So the lengths of a vector
//   (readv) stay unknown, and such a call is not shown. A filter stays for good, and children inherit it.
#pragma once

#include <cstdint>
#include <optional>

#include <linux/seccomp.h>

namespace discnice::notify {

/// What calls below these lengths move the kernel's account tells soon enough. They are not shown, and cost a few nanoseconds more.
/// A large read is often one of cached data, and is to stay cheap; what is written to a file always goes to the disk, and where it does not, to a pipe, little of a call's time
/// is spent on being shown.
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

/// What a call that the filter has shown asks for. Nothing for a call that is none of these. Pure.
std::optional<LargeCall> large_call_of(const seccomp_data& data);

/// Whether the kernel shows calls without taking anything from a program for it: this process has CAP_SYS_ADMIN, or set-user-ID programs give it no rights any more.
bool may_show_calls_for_nothing();

/// Has the calling thread's large calls shown from now on, and those of all that it becomes and starts. For a process that is about to become the program: allocates
/// nothing. Where that is not to be had for nothing, `may_lose_privileges` says whether set-user-ID programs may lose their rights for it. Else -EACCES.
/// Returns the listener's descriptor, or a negative errno.
int show_large_calls(bool may_lose_privileges);

}  // namespace discnice::notify
