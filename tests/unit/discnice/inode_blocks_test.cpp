// SPDX-License-Identifier: MIT
// inode_blocks_test: the cost of a new file beyond its data, wherever its folder's inodes are.
//
// How: seeded random marks in a thousand places are compared with a plain set of blocks. The numbers are like those of ext4, consecutive and scattered. Left out: which
// place is forgotten when there are too many. Only the effect on the counts is tested.
#include "tools/discnice/predictor/inode_blocks.hpp"

#include <map>
#include <random>
#include <set>
#include <utility>

#include "tests/support/catch.hpp"
#include "tests/unit/discnice/own_memory.hpp"
#include "tools/discnice/predictor/dirty_age.hpp"
#include "tools/discnice/predictor/predictor.hpp"

using namespace discnice;
using namespace discnice::predictor;

namespace {

constexpr std::uint64_t kSecondNs = 1'000'000'000;
constexpr std::uint64_t kPlacesMax = InodeBlocks::kSets * InodeBlocks::kWays;

// An empty table, as in the zeroed memory of a new job.
test::OwnMemory<DirtyData> make_dirty() {
  return {};
}

std::uint64_t pages_of_creation(DirtyData& dirty, std::uint64_t inode, std::uint64_t folder_bytes = 0) {
  return estimate_creation({OpKind::create, {7, inode}, 0, 256, folder_bytes}, dirty, kSecondNs).write_bytes /
         kPageBytes;
}

}  // namespace

TEST_CASE("marks and age agree with a set of blocks, while there is room for all places", "[inode_blocks]") {
  std::mt19937_64 random(20'061'001);
  std::uint64_t clean = 0;
  std::uint64_t dirty = 0;
  for (int sequence = 0; sequence < 300; ++sequence) {
    test::OwnMemory<InodeBlocks> blocks;
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::pair<std::uint64_t, std::set<std::uint64_t>>>
        plain;
    std::uint64_t now_ns = kSecondNs;
    const std::uint64_t places = 1 + random() % InodeBlocks::kWays;  // so few places fit into one set
    for (int i = 0; i < 300; ++i) {
      const std::uint64_t device = random() % 2;
      const std::uint64_t block = random() % (places * InodeBlocks::kStretchBlocks / 2);
      auto& [since_ns, known] = plain[{device, block / InodeBlocks::kStretchBlocks}];
      if (now_ns - since_ns >= kDirtyAgeMaxNs) known.clear();
      if (known.empty()) since_ns = now_ns;
      const bool is_fresh = known.insert(block).second;
      REQUIRE(blocks->mark(device, block, now_ns) == is_fresh);
      ++(is_fresh ? clean : dirty);
      if (random() % 50 == 0) now_ns += random() % (20 * kSecondNs);
    }
    blocks->forget_all();
    REQUIRE(blocks->mark(0, 1, now_ns));
  }
  CHECK(clean > 10'000);
  CHECK(dirty > 10'000);
}

TEST_CASE("more places than the table holds are charged again, never left out", "[inode_blocks]") {
  test::OwnMemory<InodeBlocks> blocks;
  std::mt19937_64 random(5);
  std::set<std::uint64_t> plain;
  std::uint64_t again = 0;
  for (std::uint64_t i = 0; i < 50 * kPlacesMax; ++i) {
    const std::uint64_t block = random() % (4 * kPlacesMax) * InodeBlocks::kStretchBlocks + random() % 3;
    const bool is_fresh = plain.insert(block).second;
    const bool is_charged = blocks->mark(7, block, kSecondNs);
    REQUIRE((is_charged || !is_fresh));
    again += is_charged && !is_fresh ? 1 : 0;
  }
  CHECK(again > 0);  // there were too many places, and some were charged again
}

TEST_CASE(
    "a new file costs its block in the table of inodes once for sixteen, its group's blocks once, a folder "
    "its own block",
    "[inode_blocks]") {
  auto dirty = make_dirty();
  CHECK(pages_of_creation(*dirty, 17) == 4);  // two bitmaps, and the descriptor
  for (std::uint64_t inode = 18; inode <= 32; ++inode) CHECK(pages_of_creation(*dirty, inode) == 0);
  CHECK(pages_of_creation(*dirty, 33) == 1);
  CHECK(pages_of_creation(*dirty, 34, kPageBytes) == 1);
  // Another group, with its descriptor on the first group's page.
  CHECK(pages_of_creation(*dirty, 8193) == 3);
  // The first group with its descriptor on another page.
  CHECK(pages_of_creation(*dirty, 64 * 8192 + 1) == 4);
  CHECK(pages_of_creation(*dirty, 0) == 0);  // no file system has inode 0
  CHECK(estimate_creation({OpKind::create, {8, 17}, 0, 256, 0}, *dirty, kSecondNs).write_bytes ==
        4 * kPageBytes);  // another device
}

TEST_CASE("files that come and go do not drive out what is known of their inodes", "[inode_blocks]") {
  auto dirty = make_dirty();
  static_cast<void>(pages_of_creation(*dirty, 1));
  for (std::uint64_t inode = 2; inode < 20 * UpdateRegions::kFilesMax; ++inode) {
    const std::uint64_t pages = pages_of_creation(*dirty, inode);
    if (pages != ((inode - 1) % 16 == 0 ? 1U : 0U))
      FAIL("a file costs " << pages << " pages, number " << inode);
    dirty->regions.mark({7, inode}, 0, 1, kSecondNs);
  }
}

// The pattern of git, which keeps its objects in 256 folders.
TEST_CASE(
    "who makes files by turns in hundreds of folders, each with a group of its own, is charged for each "
    "block once",
    "[inode_blocks]") {
  for (const std::uint64_t groups : {16U, 128U, 256U, 400U}) {
    auto dirty = make_dirty();
    std::uint64_t pages = 0;
    for (std::uint64_t file = 0; file < 40; ++file) {
      for (std::uint64_t group = 0; group < groups; ++group) {
        const std::uint64_t inode = group * 8192 + 100 * group % 8000 + file + 1;
        pages += pages_of_creation(*dirty, inode);
        dirty->regions.mark({7, inode}, 0, 1, kSecondNs);
      }
    }
    std::set<std::uint64_t> blocks;
    for (std::uint64_t group = 0; group < groups; ++group) {
      for (std::uint64_t file = 0; file < 40; ++file)
        blocks.insert((group * 8192 + 100 * group % 8000 + file) / 16);
    }
    INFO(groups << " groups");
    CHECK(pages == blocks.size() + 2 * groups + (groups + 63) / 64);
  }
}

TEST_CASE(
    "a group's inodes that were given and given back before, here and there, are no more places than it has "
    "blocks",
    "[inode_blocks]") {
  auto dirty = make_dirty();
  std::mt19937_64 random(9);
  std::set<std::uint64_t> blocks;
  std::uint64_t pages = 0;
  for (int i = 0; i < 5000; ++i) {
    const std::uint64_t inode = random() % 8192 + 1;
    blocks.insert((inode - 1) / 16);
    pages += pages_of_creation(*dirty, inode);
  }
  CHECK(pages == blocks.size() + 3);
}
