// SPDX-License-Identifier: MIT
// board_test: the board of all of a user's jobs: making, finding and refusing it, its entries, and what the daemon publishes.
//
// How: the board of a user that does not exist here, or one in memory. Left out: a full /dev/shm (as of segment_test).
#include "tools/discnice/protocol/board.hpp"

#include <cerrno>
#include <memory>
#include <string>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/catch.hpp"
#include "tests/unit/discnice/child_process.hpp"
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

}  // namespace

TEST_CASE("whoever comes first makes the board, and the next finds what is on it", "[board]") {
  if (!can_try()) return;
  const std::string path = path_of(board_name(kStranger));
  unlink(path.c_str());
  const auto as_stranger = [](auto act) {
    return wait_for(start_child([&] {
      if (setuid(kStranger) != 0) return 99;
      return act();
    }));
  };
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
  struct stat status {};
  REQUIRE(stat(path.c_str(), &status) == 0);
  CHECK((status.st_mode & 0777U) == 0600);
  const auto as_root = join_board(board_name(kStranger));
  REQUIRE(as_root);
  CHECK(find_disk(*as_root.value(), 7)->own_read_bytes.load() == 4096);
  unmap(as_root.value());
  unlink(path.c_str());
}

TEST_CASE("a file of somebody else's, or of another size, is no board", "[board]") {
  if (!can_try()) return;
  const std::string path = path_of(board_name(kStranger));
  unlink(path.c_str());
  const int file = open(path.c_str(), O_CREAT | O_RDWR, 0600);  // root's, under the stranger's name
  REQUIRE(file >= 0);
  CHECK(join_board(board_name(kStranger)).error() == -EPROTO);
  CHECK(wait_for(start_child([] {
          if (setuid(kStranger) != 0) return 99;
          return map_board() ? 1 : 0;
        })) == 0);
  close(file);
  unlink(path.c_str());
  CHECK(join_board(board_name(kStranger)).error() == -ENOENT);
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
