// SPDX-License-Identifier: MIT
// raw_sys: system calls without libc's wrappers; an error is a negative errno.
//
// A hook may not call the function that it replaces, and code before the constructors of libc may not touch errno. These functions call the kernel directly:
// they are async-signal-safe, need no initialised libc and never set errno.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gray::base {

/// Makes one system call. Returns the result of the kernel: a value, or -errno in [-4095, -1]. errno is not changed.
long raw_syscall(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0, long f = 0);

/// Makes one system call as raw_syscall() does, but inlined into the caller and with no more arguments than the call takes. So no function has to return after
/// the system call. Processors would predict such a return wrongly.
#if defined(__x86_64__)

__attribute__((always_inline)) inline long inline_syscall(long number, long a = 0, long b = 0, long c = 0) {
  long result = number;
  asm volatile("syscall" : "+a"(result) : "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
  return result;
}

__attribute__((always_inline)) inline long inline_syscall(long number, long a, long b, long c, long d,
                                                          long e = 0, long f = 0) {
  register long r10 asm("r10") = d;
  register long r8 asm("r8") = e;
  register long r9 asm("r9") = f;
  long result = number;
  asm volatile("syscall"
               : "+a"(result)
               : "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
               : "rcx", "r11", "memory");
  return result;
}

#elif defined(__aarch64__)

__attribute__((always_inline)) inline long inline_syscall(long number, long a = 0, long b = 0, long c = 0,
                                                          long d = 0, long e = 0, long f = 0) {
  register long x8 asm("x8") = number;
  register long x0 asm("x0") = a;
  register long x1 asm("x1") = b;
  register long x2 asm("x2") = c;
  register long x3 asm("x3") = d;
  register long x4 asm("x4") = e;
  register long x5 asm("x5") = f;
  asm volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory", "cc");
  return x0;
}

#else
#error "inline_syscall() knows x86-64 and arm64: add the calling convention of this machine here"
#endif

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
