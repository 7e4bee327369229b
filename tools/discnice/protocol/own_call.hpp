// SPDX-License-Identifier: MIT
// own_call: the word by which the kernel's filter of large calls (notify/large_call.hpp) knows a call that the library has seen already.
//
// A filter is inherited, so it is there for programs that the library is in as well. Their calls are paid for by then, and being shown would only cost time. The word stands where read and
// write take none, so the kernel does not look at it. Whoever puts it there himself gains nothing: what was moved is in his account all the same.
#pragma once

#include <cstdint>

namespace discnice::protocol {

/// The last word of such a call. Any number that nobody has there by chance.
inline constexpr std::uint64_t kOwnCallMark = UINT64_C(0x6f776e2d63616c6c);
/// No shorter call is shown.
inline constexpr std::uint64_t kOwnCallBytesMin = UINT64_C(32) * 1024;

}  // namespace discnice::protocol
