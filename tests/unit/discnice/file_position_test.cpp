// SPDX-License-Identifier: MIT
// file_position_test: when a descriptor's position is known, and when the kernel is asked for it.
//
// How: the position of a real file is moved without the knowledge of the tested code. If the code then returns the old position, it has not asked the kernel. Left out: which hooks
// call which function; tests/system/discnice_position_test.sh tests that.
#include "tools/discnice/descriptor/file_position.hpp"

#include <cstdio>
#include <memory>

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/support/catch.hpp"
#include "tools/discnice/descriptor/trust.hpp"

using namespace discnice::guest;

namespace {

constexpr std::uint64_t kMegabyte = 1024UL * 1024;

class Opened {
 public:
  explicit Opened(int flags = O_RDONLY) : stream_(std::tmpfile()), fd_(fileno(stream_)) {
    REQUIRE(ftruncate(fd_, 16 * kMegabyte) == 0);
    file_ = renew_opened_file(fd_, false);
    note_opened(*file_, flags);
  }
  ~Opened() {
    forget_open_file(fd_);
    std::fclose(stream_);
  }
  Opened(const Opened&) = delete;
  Opened& operator=(const Opened&) = delete;

  // Moves the position in a way that the tested code cannot note, as a process that shares the description does.
  void move_unseen(std::uint64_t place) const {
    REQUIRE(syscall(SYS_lseek, fd_, static_cast<long>(place), SEEK_SET) == static_cast<long>(place));
  }
  [[nodiscard]] std::uint64_t found(std::uint64_t length = 1) const {
    std::uint64_t place = UINT64_MAX;
    REQUIRE(find_position(*file_, fd_, length, &place));
    return place;
  }
  // Whether the code asks the kernel each time.
  [[nodiscard]] bool is_asked_for() const {
    for (const std::uint64_t place : {4711U, 815U}) {
      move_unseen(place);
      if (found() != place) return false;
    }
    return true;
  }
  [[nodiscard]] OpenFile& file() const { return *file_; }
  [[nodiscard]] int fd() const { return fd_; }

 private:
  std::FILE* stream_;
  int fd_;
  OpenFile* file_;
};

}  // namespace

TEST_CASE("a file opened by name stands at its beginning, and the kernel is not asked", "[file_position]") {
  const Opened one;
  one.move_unseen(100);
  CHECK(one.found() == 0);
}

TEST_CASE("it moves on by what reads and writes return, and by nothing when they fail", "[file_position]") {
  const Opened one;
  note_moved(one.file(), 10);
  note_moved(one.file(), 0);
  note_moved(one.file(), -1);
  note_moved(one.file(), 5);
  CHECK(one.found() == 15);
}

TEST_CASE("what lseek returns is where it stands", "[file_position]") {
  const Opened one;
  CHECK(note_sought(one.fd(), 5000) == 5000);
  CHECK(one.found() == 5000);
  CHECK(note_sought(one.fd(), -1) == -1);
  CHECK(one.found() == 5000);
}

TEST_CASE("a position that was lost is asked for once", "[file_position]") {
  const Opened one;
  lose_position(one.fd());
  one.move_unseen(300);
  CHECK(one.found() == 300);
  one.move_unseen(400);
  CHECK(one.found() == 300);
  lose_position(one.fd());
  CHECK(note_sought(one.fd(), 7) == 7);  // a wrong position after this makes only other counts wrong
  one.move_unseen(500);
  CHECK(one.found() == 500);
}

TEST_CASE("while reads may go on trust, uncounted, it is asked for each time", "[file_position]") {
  const Opened one;
  lose_position(one.fd());
  trust.give(one.file(), trust.term());
  CHECK(one.is_asked_for());
  trust.end_term();
  CHECK(one.found() == 815);
  one.move_unseen(4711);
  CHECK(one.found() == 815);
}

TEST_CASE("of a description that others have too it is asked for each time", "[file_position]") {
  const Opened one;
  note_shared(one.fd());
  CHECK(one.is_asked_for());
  note_moved(one.file(), 10);
  note_sought(one.fd(), 20);
  lose_position(one.fd());
  CHECK(one.is_asked_for());
  CHECK(one.file().opening_flags.load() == 0);
}

TEST_CASE("so it is where each write goes to the end, and of what was not opened by name",
          "[file_position]") {
  const Opened appending(O_WRONLY | O_APPEND);
  CHECK(appending.is_asked_for());
  const Opened inherited;
  forget_open_file(inherited.fd());
  CHECK(inherited.is_asked_for());
}

TEST_CASE("a move that nobody saw is seen once a megabyte", "[file_position]") {
  const Opened one;
  note_moved(one.file(), kMegabyte - 100);
  one.move_unseen(12);
  CHECK(one.found(50) == kMegabyte - 100);
  note_moved(one.file(), 150);
  CHECK(one.found(100) == 12);
}

TEST_CASE("what has no position has none", "[file_position]") {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const auto file = std::make_unique<OpenFile>();
  std::uint64_t place = 0;
  CHECK_FALSE(find_position(*file, ends[0], 1, &place));
  close(ends[0]);
  close(ends[1]);
}
