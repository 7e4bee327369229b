// SPDX-License-Identifier: MIT
// room_test: memory that is taken while the cache is full must be made up for; memory that is taken at other times need not be.
//
// How: the looks are given numbers. Left out: which pages a real kernel evicts (bench/gbp, figure 3).
#include "tests/support/catch.hpp"

#include "examples/gb-fastsort/room.hpp"

using fastsort::kLookBytes;
using fastsort::Room;

namespace {

constexpr std::uint64_t kCachedBytes = 100 * kLookBytes;

}  // namespace

TEST_CASE("while the input keeps what it had nothing is owed") {
  Room room(kCachedBytes, kCachedBytes);
  CHECK_FALSE(room.wants_look());
  room.note_memory(kLookBytes);
  REQUIRE(room.wants_look());
  room.look(kCachedBytes);
  CHECK_FALSE(room.is_full());
  room.note_asked(kLookBytes);
  room.look(kCachedBytes + kLookBytes);
  CHECK_FALSE(room.is_full());
  CHECK(room.owed_bytes() == 0);
}

TEST_CASE("pages that were asked for and did not add to the input pushed out as many") {
  Room room(kCachedBytes, kCachedBytes);
  room.note_asked(kLookBytes);
  room.look(kCachedBytes);
  CHECK(room.is_full());
}

TEST_CASE("of a full cache what is taken is owed until as much was dropped") {
  Room room(kCachedBytes, kCachedBytes);
  room.note_memory(kLookBytes);
  room.look(kCachedBytes - kLookBytes);
  REQUIRE(room.is_full());
  CHECK(room.owed_bytes() == 0);  // the evicted pages have paid for it
  CHECK_FALSE(room.wants_look());
  room.note_asked(3000);
  room.note_memory(2000);
  CHECK(room.owed_bytes() == 5000);
  room.note_dropped(4000);
  CHECK(room.owed_bytes() == 1000);
  room.note_dropped(4000);
  CHECK(room.owed_bytes() == 0);
}

TEST_CASE("a little that went missing is others' doing") {
  Room room(kCachedBytes, kCachedBytes);
  room.note_memory(kLookBytes);
  room.look(kCachedBytes - kLookBytes / 4);
  CHECK_FALSE(room.is_full());
}

TEST_CASE("a large file is looked at as often as a small one") {
  Room room(kCachedBytes, 1000 * fastsort::kLooksPerFile * kLookBytes);
  room.note_memory(999 * kLookBytes);
  CHECK_FALSE(room.wants_look());
  room.note_memory(kLookBytes);
  CHECK(room.wants_look());
}
