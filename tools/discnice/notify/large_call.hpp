// SPDX-License-Identifier: MIT
// large_call: the calls by which a program may move much at once, and how the kernel is asked to show only these calls before it makes them.
//
// Knowledge assumed: seccomp(2) and seccomp_unotify(2). A filter sees a call's number and words, not the memory to which they point. So the lengths of a vector
//   (readv) are unknown, and such a call is not shown. A filter can never be removed, and children inherit it.
#pragma once

#include <cstdint>
#include <optional>

#include <linux/seccomp.h>

namespace discnice::notify {

/// Shorter calls are not shown, because the kernel's account shows their bytes soon enough. Such a call costs a few nanoseconds more. Large reads often read
/// cached data and must stay cheap, so the bound for reads is higher. Data written to a file always goes to the disk. A write to something else, such as a
/// pipe, takes so long that the cost of being shown hardly matters.
inline constexpr std::uint32_t kLargeReadBytes = 128 * 1024;
inline constexpr std::uint32_t kLargeWriteBytes = 32 * 1024;

struct LargeCall {
  enum class Kind : std::uint8_t { read, write };
  Kind kind;  // a copy by the kernel counts as a read; its written data is known after it was written
  int fd;     // read from, or written to
  std::uint64_t bytes;
  bool is_at_position = true;  // the position of the open file; else `offset_bytes`
  std::int64_t offset_bytes = 0;
  std::uint64_t offset_at = 0;  // the address of the offset in the caller's memory; 0: none
};

/// The request of a call that the filter has shown. Empty for any other call. Pure.
std::optional<LargeCall> large_call_of(const seccomp_data& data);

/// Whether the kernel shows calls without taking any rights from a program. This is so when this process has CAP_SYS_ADMIN, or when set-user-ID programs
/// give it no more rights.
bool may_show_calls_for_nothing();

/// Makes the kernel show the large calls of the calling thread from now on, and the large calls of all programs and processes that it starts. To be called in
/// the process that is about to execute the program. Allocates nothing. When set-user-ID programs would lose their rights by this, the function fails with
/// -EACCES unless `may_lose_privileges` is set. Returns the listener's descriptor, or a negative errno.
int show_large_calls(bool may_lose_privileges);

}  // namespace discnice::notify
