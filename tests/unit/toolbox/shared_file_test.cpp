// SPDX-License-Identifier: MIT
// shared_file_test: a file that another user has made under one of the library's names is refused at once, and a file of this user is found.
//
// How: each kind of wrong file is made in a folder of the test, by the calling user or, as root, by another user. Every refusal is
// timed. Left out: a name whose file is exchanged between the two checks.
#include "toolbox/base/shared_file.hpp"

#include <csignal>
#include <cstdint>
#include <string>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/catch.hpp"
#include "tests/unit/toolbox/temporary_folder.hpp"
#include "toolbox/base/clock.hpp"

using namespace gray::base;

namespace {

constexpr std::uint64_t kAtOnceNs = 100'000'000;
constexpr uid_t kSomebody = 65534;

int error_of_opening(const std::string& path) {
  std::uint64_t size_bytes = 0;
  const std::uint64_t start_ns = monotonic_ns();
  const int error = open_shared_file(path.c_str(), &size_bytes).error();
  CHECK(monotonic_ns() - start_ns < kAtOnceNs);
  return error;
}

}  // namespace

TEST_CASE("a file made for its user alone is found again", "[shared_file]") {
  const TemporaryFolder folder;
  const std::string path = folder.path("own");
  const mode_t before = umask(0777);
  const ScopedFd made = make_shared_file(path.c_str());
  umask(before);
  REQUIRE(made.is_open());
  REQUIRE(ftruncate(made.get(), 4711) == 0);
  struct stat status {};
  REQUIRE(stat(path.c_str(), &status) == 0);
  CHECK((status.st_mode & 07777U) == 0600);
  std::uint64_t size_bytes = 0;
  CHECK(open_shared_file(path.c_str(), &size_bytes).is_open());
  CHECK(size_bytes == 4711);
  CHECK(make_shared_file(path.c_str()).error() == -EEXIST);
}

TEST_CASE("what is no regular file of one name is refused", "[shared_file]") {
  const TemporaryFolder folder;
  const std::string own = folder.path("own");
  REQUIRE(make_shared_file(own.c_str()).is_open());
  const std::string link = folder.path("link");
  REQUIRE(symlink(own.c_str(), link.c_str()) == 0);
  CHECK(error_of_opening(link) == -EPROTO);
  CHECK(make_shared_file(link.c_str()).error() == -EEXIST);
  const std::string dangling = folder.path("dangling");
  REQUIRE(symlink("/no/such/file", dangling.c_str()) == 0);
  CHECK(make_shared_file(dangling.c_str()).error() == -EEXIST);
  const std::string fifo = folder.path("fifo");
  REQUIRE(mkfifo(fifo.c_str(), 0600) == 0);
  CHECK(error_of_opening(fifo) == -EPROTO);
  CHECK(error_of_opening(folder.path("")) == -EPROTO);
  CHECK(error_of_opening(folder.path("none")) == -ENOENT);
  const std::string second_name = folder.path("second-name");
  REQUIRE(::link(own.c_str(), second_name.c_str()) == 0);
  CHECK(error_of_opening(own) == -EPERM);
}

TEST_CASE("a file that others may open is refused", "[shared_file]") {
  const TemporaryFolder folder;
  const std::string path = folder.path("open");
  REQUIRE(make_shared_file(path.c_str()).is_open());
  for (const mode_t mode : {0604U, 0602U, 0660U, 0666U}) {
    REQUIRE(chmod(path.c_str(), mode) == 0);
    CHECK(error_of_opening(path) == -EPERM);
  }
}

TEST_CASE("somebody else's file is refused, by the superuser too", "[shared_file]") {
  if (geteuid() != 0) return;  // another user's file cannot be made without root
  const TemporaryFolder folder;
  const std::string path = folder.path("foreign");
  REQUIRE(make_shared_file(path.c_str()).is_open());
  REQUIRE(chown(path.c_str(), kSomebody, kSomebody) == 0);
  CHECK(error_of_opening(path) == -EPERM);
}

TEST_CASE("a lease is not waited for", "[shared_file]") {
  const TemporaryFolder folder;
  const std::string path = folder.path("leased");
  const ScopedFd holder = make_shared_file(path.c_str());
  REQUIRE(holder.is_open());
  signal(SIGIO, SIG_IGN);
  if (fcntl(holder.get(), F_SETLEASE, F_WRLCK) == 0) CHECK(error_of_opening(path) == -EAGAIN);
  signal(SIGIO, SIG_DFL);
}
