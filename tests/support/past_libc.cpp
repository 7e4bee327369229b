// SPDX-License-Identifier: MIT
// past_libc: reads a file by system calls of its own, which no preloaded library sees. It is linked dynamically, so the library is still mapped.
//
// past_libc FILE [MICROSECONDS]: reads FILE and pauses for that time after each 64 KiB.
#include <cstdlib>

#include <fcntl.h>
#include <sys/syscall.h>
#include <time.h>

namespace {

long call(long number, long first, const void* second, long third) {
  long result = 0;
#if defined(__x86_64__)
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(first), "S"(second), "d"(third)
                   : "rcx", "r11", "memory");
#elif defined(__aarch64__)
  register long x8 __asm__("x8") = number;
  register long x0 __asm__("x0") = first;
  register const void* x1 __asm__("x1") = second;
  register long x2 __asm__("x2") = third;
  __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2) : "memory");
  result = x0;
#endif
  return result;
}

}  // namespace

int main(int count, char** words) {
  static char buffer[65536];
  const long rest_us = count > 2 ? std::strtol(words[2], nullptr, 10) : 0;
  const int fd = count > 1 ? open(words[1], O_RDONLY) : -1;
  if (fd < 0) return 2;
  while (call(SYS_read, fd, buffer, sizeof buffer) > 0) {
    const timespec rest{rest_us / 1'000'000, rest_us % 1'000'000 * 1000};
    if (rest_us > 0) nanosleep(&rest, nullptr);
  }
  return 0;
}
