// SPDX-License-Identifier: MIT
// dirty_table_test: one process at a time holds the job's table of dirty data, and no process holds it for long.
//
// How: the segment is plain memory. A holder that never released the table is simulated by an instant in the past. A table that was taken over is simulated by
// the new holder's instant, which the old holder finds. Left out: a holder that is stopped again between its last check and its write. It may then write one
// value, which every reader checks.
#include "tools/discnice/job/dirty_table.hpp"

#include <chrono>
#include <cstring>
#include <memory>
#include <thread>

#include <sys/mman.h>

#include "tests/support/catch.hpp"
#include "tests/unit/discnice/front_only.hpp"
#include "toolbox/base/clock.hpp"

using namespace discnice;
using namespace discnice::guest;

namespace {

constexpr FileId kFile{1, 2};

struct SmallJob {
  SmallJob() { segment->is_all_reserved = 1; }
  std::unique_ptr<protocol::Segment> segment = std::make_unique<protocol::Segment>();
  Job job{segment.get(), nullptr, 1, 1, nullptr};
};

// The content of the table, without a holder.
predictor::DirtyData table_of(const Job& job) {
  return predictor::DirtyData(dirty_memory(job));
}

}  // namespace

TEST_CASE("one holds the table, the next does without it") {
  SmallJob small;
  CHECK_FALSE(has_dirty_data(small.job));
  {
    HeldTable table(small.job);
    REQUIRE(table);
    CHECK(table->regions.mark(kFile, 0, 3, 1) == 3);
    HeldTable second(small.job);
    CHECK_FALSE(second);
  }
  CHECK(has_dirty_data(small.job));
  HeldTable next(small.job);
  REQUIRE(next);
  CHECK(next->regions.mark(kFile, 0, 4, 1) == 1);
}

TEST_CASE("a table that there is no memory for is held by nobody and not touched") {
  const discnice::test::FrontOnly front;
  const Job job{front.segment, nullptr, 1, 1, nullptr};
  CHECK_FALSE(has_dirty_data(job));
  CHECK_FALSE(HeldTable(job));
  CHECK_FALSE(has_dirty_data(job));
  CHECK(front.segment->dirty_table_held_ns == 0);
}

TEST_CASE("memory for many files is asked for when there are many, and once") {
  SmallJob small;
  const auto mark_many = [&] {
    for (std::uint64_t inode = 1; inode < 300; ++inode)
      HeldTable(small.job)->regions.mark({1, inode}, 0, 1, 1);
  };
  mark_many();
  // The first process that wanted memory for the table got none.
  CHECK(table_of(small.job).regions.dirty_pages() >= 298);

  const discnice::test::FrontOnly front;  // only the first part of its table has memory
  const Job job{front.segment, nullptr, 1, 1, nullptr};
  front.segment->is_dirty_table_reserved = 1;
  REQUIRE(mmap(front.segment->dirty_table, 65536, PROT_READ | PROT_WRITE,
               MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == front.segment->dirty_table);
  for (std::uint64_t inode = 1; inode < 300; ++inode) HeldTable(job)->regions.mark({1, inode}, 0, 1, 1);
  CHECK(table_of(job).regions.dirty_pages() == predictor::UpdateRegions::kFilesMax);
  CHECK_FALSE(table_of(job).regions.wants_rest());
}

TEST_CASE("a holder that was killed lets the table go, which is empty then") {
  SmallJob small;
  { CHECK(HeldTable(small.job)->regions.mark(kFile, 0, 3, 1) == 3); }
  const std::uint64_t now_ns = gray::base::monotonic_coarse_ns();
  small.segment->dirty_table_held_ns = now_ns - 100'000'000;
  CHECK_FALSE(HeldTable(small.job));
  CHECK(small.segment->dirty_table_held_ns == now_ns - 100'000'000);
  small.segment->dirty_table_held_ns = now_ns - 2'000'000'000;
  HeldTable table(small.job);
  REQUIRE(table);
  CHECK(table->regions.is_empty());
}

TEST_CASE("who stood still for too long and goes on does not write into what somebody else holds") {
  SmallJob small;
  HeldTable late(small.job);
  REQUIRE(late);
  CHECK(late->regions.mark(kFile, 0, 3, 1) == 3);
  CHECK(late->inode_blocks().mark(1, 5, 1));
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // one tick of the coarse clock
  small.segment->dirty_table_held_ns = gray::base::monotonic_coarse_ns() - 2'000'000'000;
  {
    HeldTable next(small.job);
    REQUIRE(next);
    // The table is emptied, because the old holder may have changed half of it.
    CHECK(next->regions.is_empty());
    CHECK(next->regions.mark(kFile, 10, 12, 1) == 2);
    const auto before = dirty_memory(small.job);
    CHECK(late->regions.mark(kFile, 20, 30, 1) == 10);  // the pages are charged, and not remembered
    CHECK(late->regions.mark({1, 77}, 0, 30, 1) == 30);
    CHECK(late->regions.remove(kFile, 10, 11, 1) == 1);
    late->regions.clear(kFile);
    late->forget_all();
    late->inode_blocks().mark(1, 6, 1);
    CHECK(std::memcmp(&before, &dirty_memory(small.job), sizeof before) == 0);
  }
  CHECK(table_of(small.job).regions.is_dirty(kFile, 11, 1));
}

TEST_CASE("a holder that looked at the clock a moment later is one, and an instant far ahead is nobody's") {
  SmallJob small;
  small.segment->dirty_table_held_ns = gray::base::monotonic_coarse_ns() + 8'000'000;
  CHECK_FALSE(HeldTable(small.job));
  small.segment->dirty_table_held_ns = UINT64_MAX;
  CHECK(HeldTable(small.job));
}

TEST_CASE("who comes back too late does not let go for the one who holds it now") {
  SmallJob small;
  {
    HeldTable late(small.job);
    small.segment->dirty_table_held_ns = 77;
  }
  CHECK(small.segment->dirty_table_held_ns == 77);
}

TEST_CASE("a table full of wrong bytes is never read beyond its bounds") {
  SmallJob small;
  for (unsigned char& byte : small.segment->dirty_table) byte = 0xff;
  CHECK_FALSE(table_of(small.job).regions.is_empty());
  for (std::uint64_t block = 0; block < 300; ++block)
    table_of(small.job).inode_blocks().mark(1, block * block, block);
  predictor::UpdateRegions table = table_of(small.job).regions;
  table.mark(kFile, 0, 3, 1);
  static_cast<void>(table.is_dirty(kFile, 1, 1));
  table.remove(kFile, 0, 2, 1);
  table.clear(kFile);
  static_cast<void>(table.dirty_pages());
  for (std::uint64_t inode = 0; inode < 300; ++inode) table.mark({1, inode}, 0, inode, inode);
  for (std::uint64_t inode = 0; inode < 300; ++inode) table.remove_from({1, inode}, 0, inode);
}
