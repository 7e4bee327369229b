/* SPDX-License-Identifier: MIT */
/* old_glibc: what the C++ library of a newer compiler asks of glibc and an older one does not have.
 *
 * Packages are linked against an old glibc, so that they run on every newer one, and with the compiler's own C++ library inside. */
#include <stdint.h>
#include <sys/random.h>

/* Came with glibc 2.32, to leave out locked instructions while there is one thread. "Not single-threaded" is always right. */
__attribute__((visibility("hidden"))) char __libc_single_threaded = 0;

/* Came with glibc 2.36; std::random_device takes its numbers from it. The kernel gives as few bytes whole, and has been able to since 3.17. */
__attribute__((visibility("hidden"))) uint32_t arc4random(void);

uint32_t arc4random(void) {
  uint32_t number = 0;
  if (getrandom(&number, sizeof number, 0) != (ssize_t)sizeof number) __builtin_trap();
  return number;
}
