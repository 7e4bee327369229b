// SPDX-License-Identifier: MIT
// raw_sys: the kernel's calls without libc's wrappers, as negative errno.
//
// A hook may not call the very function it stands in front of, and code before the constructors of libc may
// not touch errno. These go to the kernel directly: they are async-signal-safe, need no initialised libc and
// never set errno.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gray::base {

/// Makes one system call. Returns what the kernel returns: a value, or -errno in [-4095, -1]. errno is left
/// alone.
long raw_syscall(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0, long f = 0);

/// Turns pointers into the machine word a system call takes.
template <typename T>
long word(T* pointer) {
  return static_cast<long>(reinterpret_cast<std::intptr_t>(pointer));
}

/// True for the results that mean failure.
constexpr bool is_raw_error(long result) {
  return result < 0 && result >= -4095;
}

}  // namespace gray::base
