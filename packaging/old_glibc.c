/* SPDX-License-Identifier: MIT */
/* old_glibc: what the C++ library of a newer compiler asks of glibc and an older one does not have.
 *
 * Packages are linked against an old glibc, so that they run on every newer one, and with the compiler's own C++ library inside. That reads this
 * variable, which came with glibc 2.32, to leave out locked instructions while there is one thread. "Not single-threaded" is always right. */
__attribute__((visibility("hidden"))) char __libc_single_threaded = 0;
