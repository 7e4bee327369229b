// SPDX-License-Identifier: MIT
// board_test: the board of all of a user's jobs: making, finding and refusing the board, its entries, and the data that the daemon publishes.
//
// How: the test uses the board of a user that does not exist here, or a board in memory. Left out: a full /dev/shm (as in
// segment_test).
#include "tools/discnice/protocol/board.hpp"

#include <cerrno>
#include <memory>
#include <string>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/catch.hpp"
#include "tests/unit/discnice/child_process.hpp"
#include "toolbox/base/clock.hpp"
#include "tools/discnice/protocol/segment.hpp"

using namespace discnice;
using namespace discnice::protocol;
using discnice::test::start_child;
using discnice::test::wait_for;

namespace {

constexpr uid_t kStranger = 60'123;

std::string path_of(const BoardName& name) {
  return std::string(kSegmentFolder) + name.text;
}

bool can_try() {
  if (geteuid() == 0 && access(kSegmentFolder, W_OK) == 0) return true;
  WARN("not root, or no /dev/shm: nothing tested");
  return false;
}

template <typename Act>
int as_stranger(Act act) {
  return wait_for(start_child([&] {
    if (setuid(kStranger) != 0) return 99;
    return act();
  }));
}

bool is_whole_board(const std::string& path) {
  struct stat status {};
  return lstat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && (status.st_mode & 07777U) == 0600 &&
         status.st_size == sizeof(Board) && status.st_blocks * 512 >= off_t{sizeof(Board)};
}

}  // namespace

TEST_CASE("whoever comes first makes the board, and the next finds what is on it", "[board]") {
  if (!can_try()) return;
  const std::string path = path_of(board_name(kStranger));
  unlink(path.c_str());
  CHECK(as_stranger([] {
          const auto board = map_board();
          if (!board) return 1;
          find_disk(*board.value(), 7)->own_read_bytes.fetch_add(4096);
          return 0;
        }) == 0);
  CHECK(as_stranger([] {
          const auto board = map_board();
          return board && find_disk(*board.value(), 7)->own_read_bytes.load() == 4096 ? 0 : 1;
        }) == 0);
  CHECK(is_whole_board(path));
  unlink(path.c_str());
}

TEST_CASE("what somebody else has under the board's name is left alone and not waited for", "[board]") {
  if (!can_try()) return;
  const std::string path = path_of(board_name(kStranger));
  unlink(path.c_str());
  const auto is_refused = [&](int error) {
    const std::uint64_t begun_ns = gray::base::monotonic_ns();
    CHECK(as_stranger([] { return -map_board().error(); }) == error);
    CHECK(gray::base::monotonic_ns() - begun_ns < 1'000'000'000);
    struct stat status {};
    REQUIRE(lstat(path.c_str(), &status) == 0);
    CHECK(status.st_uid == geteuid());
  };
  for (const mode_t mode : {0600U, 0644U, 0666U, 0777U, 0000U}) {
    for (const off_t size : {off_t{0}, off_t{1}, off_t{sizeof(Board)}, off_t{1} << 40U}) {
      INFO("mode " << std::oct << mode << std::dec << ", " << size << " bytes");
      const int file = open(path.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600);
      REQUIRE((fchmod(file, mode) == 0 && ftruncate(file, size) == 0));
      is_refused(EPERM);
      close(file);
      unlink(path.c_str());
    }
  }
  REQUIRE((mkfifo(path.c_str(), 0666) == 0 && chmod(path.c_str(), 0666) == 0));
  is_refused(EPROTO);
  unlink(path.c_str());
  REQUIRE(symlink("/dev/shm/nothing", path.c_str()) == 0);
  is_refused(EPROTO);
  unlink(path.c_str());
  REQUIRE(mkdir(path.c_str(), 0777) == 0);
  is_refused(EPROTO);
  rmdir(path.c_str());
}

TEST_CASE("what this user has under the board's name and is no board is made one", "[board]") {
  if (!can_try()) return;
  const std::string path = path_of(board_name(kStranger));
  unlink(path.c_str());
  const auto is_made_whole = [&](auto leave) {
    CHECK(as_stranger([&] { return leave() ? 0 : 1; }) == 0);
    CHECK(as_stranger([] {
            const auto board = map_board();
            if (!board) return -board.error();
            find_disk(*board.value(), 7)->own_read_bytes.fetch_add(4096);
            return 0;
          }) == 0);
    CHECK(is_whole_board(path));
    unlink(path.c_str());
  };
  const auto file_of = [&](off_t size_bytes, mode_t mode) {
    return [&path, size_bytes, mode] {
      const int file = open(path.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600);
      return file >= 0 && ftruncate(file, size_bytes) == 0 && fchmod(file, mode) == 0;
    };
  };
  SECTION("empty: its maker was killed") {
    is_made_whole(file_of(0, 0600));
  }
  SECTION("large enough, and without memory") {
    is_made_whole(file_of(sizeof(Board), 0600));
  }
  SECTION("a byte") {
    is_made_whole(file_of(1, 0600));
  }
  SECTION("a byte more") {
    is_made_whole(file_of(sizeof(Board) + 1, 0600));
  }
  SECTION("a terabyte") {
    is_made_whole(file_of(off_t{1} << 40U, 0600));
  }
  SECTION("open to others") {
    is_made_whole(file_of(sizeof(Board), 0666));
  }
  SECTION("a pipe") {
    is_made_whole([&] { return mkfifo(path.c_str(), 0600) == 0; });
  }
  SECTION("a link") {
    is_made_whole([&] { return symlink("/dev/shm/nothing", path.c_str()) == 0; });
  }
  SECTION("a folder") {
    is_made_whole([&] { return mkdir(path.c_str(), 0700) == 0; });
  }
}

TEST_CASE("a disk has one entry, and a full board has none for a further one", "[board]") {
  const auto board = std::make_unique<Board>();
  BoardDisk* first = find_disk(*board, 0);
  CHECK(find_disk(*board, 0) == first);
  for (std::uint64_t disk = 1; disk < kBoardDisksMax; ++disk) CHECK(find_disk(*board, disk) != first);
  CHECK(find_disk(*board, kBoardDisksMax) == nullptr);
  CHECK(find_disk(*board, 0) == first);
}

TEST_CASE("what the daemon published holds for a moment, and asking tells it that somebody wants to know",
          "[board]") {
  const auto board = std::make_unique<Board>();
  BoardDisk& disk = *find_disk(*board, 7);
  constexpr std::uint64_t kNow = 1'000'000'000'000;
  DiskSample sample;
  CHECK_FALSE(published_sample(disk, kNow, &sample));
  CHECK(disk.wanted_at_ns.load() == kNow);
  disk.published.store({kNow, DiskSample{.reads = 42}});
  REQUIRE(published_sample(disk, kNow + kPublishedMaxNs, &sample));
  CHECK(sample.reads == 42);
  CHECK_FALSE(published_sample(disk, kNow + kPublishedMaxNs + 1, &sample));
  CHECK_FALSE(published_sample(disk, kNow - 1, &sample));
}
