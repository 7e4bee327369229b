// SPDX-License-Identifier: MIT
// fd_test: descriptors are closed once and are not inherited; failures are returned as numbers, never in errno.
//
// How: the test opens real descriptors on /dev/null and /proc. fcntl tells whether a descriptor is open. Left out: a
// failing close.
#include "toolbox/base/fd.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <utility>

#include "tests/support/catch.hpp"

using namespace gray::base;

namespace {

bool is_open(int fd) {
  return fcntl(fd, F_GETFD) >= 0;
}

}  // namespace

TEST_CASE("a descriptor is open in its scope and closed after it", "[fd]") {
  int number = -1;
  {
    const ScopedFd fd = ScopedFd::open("/dev/null", O_RDONLY);
    REQUIRE(fd.is_open());
    CHECK(fd.error() == 0);
    number = fd.get();
    CHECK(is_open(number));
    CHECK((fcntl(number, F_GETFD) & FD_CLOEXEC) != 0);
  }
  CHECK_FALSE(is_open(number));
}

TEST_CASE("a failed open is a negative errno and leaves errno alone", "[fd]") {
  errno = 4321;
  const ScopedFd fd = ScopedFd::open("/no/such/file", O_RDONLY);
  CHECK(errno == 4321);
  CHECK_FALSE(fd.is_open());
  CHECK(fd.error() == -ENOENT);
  CHECK(fd.get() == -ENOENT);
  CHECK(ScopedFd().error() == -EBADF);
}

TEST_CASE("a path is opened relative to a directory", "[fd]") {
  const ScopedFd directory = ScopedFd::open("/dev", O_RDONLY | O_DIRECTORY);
  REQUIRE(directory.is_open());
  CHECK(ScopedFd::open("null", O_RDWR, 0, directory.get()).is_open());
  CHECK(ScopedFd::open("no-such-device", O_RDWR, 0, directory.get()).error() == -ENOENT);
}

TEST_CASE("moving hands a descriptor over without closing it", "[fd]") {
  ScopedFd first = ScopedFd::open("/dev/null", O_RDONLY);
  const int number = first.get();
  ScopedFd second(std::move(first));
  CHECK(second.get() == number);
  CHECK(is_open(number));

  ScopedFd third = ScopedFd::open("/dev/null", O_RDONLY);
  const int replaced = third.get();
  third = std::move(second);
  CHECK(third.get() == number);
  CHECK_FALSE(is_open(replaced));

  ScopedFd& same = third;
  third = std::move(same);
  CHECK(is_open(number));
}

TEST_CASE("a released descriptor is the caller's to close", "[fd]") {
  int number = -1;
  {
    ScopedFd fd = ScopedFd::open("/dev/null", O_RDONLY);
    number = fd.release();
    CHECK_FALSE(fd.is_open());
  }
  REQUIRE(is_open(number));
  errno = 4321;
  ScopedFd(number).reset();
  CHECK(errno == 4321);
  CHECK_FALSE(is_open(number));
}

TEST_CASE("errno is at the end of a scope what it was at the start", "[fd]") {
  errno = EINTR;
  {
    const ErrnoKeeper keeper;
    errno = ENOENT;
  }
  CHECK(errno == EINTR);
}
