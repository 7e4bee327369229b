// SPDX-License-Identifier: MIT
// raw_sys_test: a raw system call returns the kernel's result, and does not change errno.
//
// How: the test makes calls with no, one, three and six arguments whose results libc can confirm. Left out: processors other
// than this one.
#include "toolbox/base/raw_sys.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "tests/support/catch.hpp"

using namespace gray::base;

TEST_CASE("a raw call returns the kernel's value", "[raw_sys]") {
  CHECK(raw_syscall(SYS_getpid) == getpid());
  int ends[2] = {-1, -1};
  REQUIRE(raw_syscall(SYS_pipe2, word(ends), O_CLOEXEC) == 0);
  CHECK(raw_syscall(SYS_write, ends[1], word("gray"), 4) == 4);
  char text[8] = {};
  CHECK(raw_syscall(SYS_read, ends[0], word(text), sizeof text) == 4);
  CHECK(std::strcmp(text, "gray") == 0);
  CHECK(raw_syscall(SYS_close, ends[0]) == 0);
  CHECK(raw_syscall(SYS_close, ends[1]) == 0);
}

TEST_CASE("all six arguments arrive", "[raw_sys]") {
  const int file = static_cast<int>(raw_syscall(SYS_memfd_create, word("gray"), MFD_CLOEXEC));
  REQUIRE(file >= 0);
  const long page = sysconf(_SC_PAGESIZE);
  REQUIRE(raw_syscall(SYS_ftruncate, file, 2 * page) == 0);
  REQUIRE(raw_syscall(SYS_pwrite64, file, word("second"), 6, page) == 6);
  const long address = raw_syscall(SYS_mmap, 0, page, PROT_READ, MAP_SHARED, file, page);
  REQUIRE_FALSE(is_raw_error(address));
  CHECK(std::memcmp(reinterpret_cast<const void*>(address), "second", 6) == 0);
  CHECK(raw_syscall(SYS_munmap, address, page) == 0);
  raw_syscall(SYS_close, file);
}

TEST_CASE("a call in its caller's own code gives the same, whatever the number of its arguments",
          "[raw_sys]") {
  int ends[2] = {-1, -1};
  REQUIRE(inline_syscall(SYS_pipe2, word(ends), static_cast<long>(O_CLOEXEC)) == 0);
  CHECK(inline_syscall(SYS_getpid) == getpid());
  CHECK(inline_syscall(SYS_write, static_cast<long>(ends[1]), word("gray"), 4L) == 4);
  CHECK(inline_syscall(SYS_splice, static_cast<long>(ends[0]), 0L, -1L, 0L, 4L, 0L) == -EBADF);
  char text[8] = {};
  CHECK(inline_syscall(SYS_read, static_cast<long>(ends[0]), word(text), 8L) == 4);
  CHECK(std::strcmp(text, "gray") == 0);
  for (const int end : ends) CHECK(inline_syscall(SYS_close, static_cast<long>(end)) == 0);
}

TEST_CASE("a failure is a negative errno, and errno is untouched", "[raw_sys]") {
  errno = 4321;
  const long result = raw_syscall(SYS_close, -1);
  CHECK(result == -EBADF);
  CHECK(is_raw_error(result));
  CHECK(raw_syscall(SYS_openat, AT_FDCWD, word("/no/such/file"), O_RDONLY) == -ENOENT);
  CHECK(errno == 4321);
}

TEST_CASE("only the kernel's range of numbers is an error", "[raw_sys]") {
  CHECK(is_raw_error(-1));
  CHECK(is_raw_error(-4095));
  CHECK_FALSE(is_raw_error(-4096));
  CHECK_FALSE(is_raw_error(0));
  CHECK_FALSE(is_raw_error(1));
}
