// SPDX-License-Identifier: MIT
// ring_test: records come out of the ring unchanged and in order, or are counted as lost.
//
// How: the ring is private memory, and several threads replace several processes. Left out: its file in /dev/shm, which the system
// test of recordings uses.
#include <memory>
#include <thread>
#include <vector>

#include "tests/support/catch.hpp"
#include "tools/discnice/protocol/ring.hpp"

namespace {

using namespace discnice::protocol;

// A zeroed ring, as in a new file.
std::unique_ptr<Ring> new_ring() {
  return std::make_unique<Ring>();
}

OutcomeRecord outcome(std::uint64_t number) {
  OutcomeRecord record{};
  record.number = number;
  record.result = static_cast<std::int64_t>(number * 3);
  seal(record.head, static_cast<std::uint16_t>(RecordType::outcome), sizeof record);
  return record;
}

OperationRecord operation(std::uint64_t number, std::uint32_t answers) {
  OperationRecord record{};
  record.number = number;
  record.answer_count = answers;
  for (std::uint32_t i = 0; i < answers; ++i) record.answers[i] = {number + i, 1, 1};
  seal(record.head, static_cast<std::uint16_t>(RecordType::operation),
       kOperationFixedBytes + answers * sizeof(RecordedAnswer));
  return record;
}

std::uint64_t number_of(const TakenRecord& record) {
  // The number is at the same place in both kinds of records.
  return reinterpret_cast<const OutcomeRecord&>(record.bytes).number;
}

TEST_CASE("records come out in order, byte by byte") {
  const auto ring = new_ring();
  const OperationRecord large = operation(7, kOperationAnswersMax);
  const OutcomeRecord small = outcome(8);
  REQUIRE(put(*ring, large.head));
  REQUIRE(put(*ring, small.head));
  Drainer drainer(*ring);
  TakenRecord record;
  REQUIRE(drainer.take(record) == Taken::record);
  CHECK(record.head().bytes == sizeof large);
  CHECK(std::memcmp(record.bytes, &large, sizeof large) == 0);
  REQUIRE(drainer.take(record) == Taken::record);
  CHECK(std::memcmp(record.bytes, &small, sizeof small) == 0);
  CHECK(drainer.take(record) == Taken::nothing);
  CHECK(ring->lost.load() == 0);
}

TEST_CASE("a full ring leaves records out and counts them, and takes more once it is drained") {
  const auto ring = new_ring();
  const OperationRecord large = operation(1, kOperationAnswersMax);
  const std::uint32_t fitting = kRingSlots / (sizeof large / kSlotBytes);
  for (std::uint32_t i = 0; i < fitting; ++i) REQUIRE(put(*ring, large.head));
  CHECK_FALSE(put(*ring, large.head));
  CHECK_FALSE(put(*ring, large.head));
  CHECK(ring->lost.load() == 2);
  Drainer drainer(*ring);
  TakenRecord record;
  for (std::uint32_t i = 0; i < fitting; ++i) REQUIRE(drainer.take(record) == Taken::record);
  CHECK(drainer.take(record) == Taken::nothing);
  CHECK(put(*ring, large.head));
  CHECK(drainer.take(record) == Taken::record);
}

TEST_CASE("records survive the end of the ring, at any place") {
  const auto ring = new_ring();
  ring->claimed.store(kRingSlots - 3);
  ring->drained.store(kRingSlots - 3);
  Drainer drainer(*ring);
  TakenRecord record;
  for (std::uint64_t number = 1; number < 20; ++number) {
    const OperationRecord one = operation(number, static_cast<std::uint32_t>(number % kOperationAnswersMax));
    REQUIRE(put(*ring, one.head));
    REQUIRE(drainer.take(record) == Taken::record);
    CHECK(std::memcmp(record.bytes, &one, one.head.bytes) == 0);
  }
}

TEST_CASE("a place that was claimed and never filled is a hole, which can be skipped") {
  const auto ring = new_ring();
  Drainer drainer(*ring);
  TakenRecord record;
  ring->claimed.fetch_add(3);  // by a process that was then killed
  const OutcomeRecord small = outcome(5);
  REQUIRE(put(*ring, small.head));
  for (int i = 0; i < 3; ++i) {
    REQUIRE(drainer.take(record) == Taken::hole);
    drainer.skip();
  }
  REQUIRE(drainer.take(record) == Taken::record);
  CHECK(number_of(record) == 5);
  CHECK(drainer.lost() == 3);
}

TEST_CASE("what does not fit its checksum or its size is never given out") {
  const auto ring = new_ring();
  Drainer drainer(*ring);
  TakenRecord record;
  OutcomeRecord torn = outcome(1);
  torn.number = 2;
  REQUIRE(put(*ring, torn.head));
  OutcomeRecord oversized = outcome(3);
  oversized.head.bytes = 8 * kSlotBytes;
  ring->claimed.fetch_add(1);
  std::uint64_t word = 0;
  std::memcpy(&word, &oversized.head, sizeof word);
  ring->slots[1].words[0].store(word);
  const OutcomeRecord good = outcome(4);
  REQUIRE(put(*ring, good.head));
  REQUIRE(drainer.take(record) == Taken::torn);
  REQUIRE(drainer.take(record) == Taken::torn);
  REQUIRE(drainer.take(record) == Taken::record);
  CHECK(number_of(record) == 4);
  CHECK(drainer.lost() == 2);
}

TEST_CASE("numbers that contradict each other stop the drainer") {
  const auto ring = new_ring();
  Drainer drainer(*ring);
  TakenRecord record;
  ring->claimed.store(UINT64_C(1) << 40U);
  CHECK(drainer.take(record) == Taken::broken);
}

TEST_CASE("nobody leads the drainer back to where it was, or beyond what was claimed") {
  const auto ring = new_ring();
  Drainer drainer(*ring);
  TakenRecord record;
  for (std::uint64_t number = 1; number <= 3; ++number) {
    ring->drained.store(number * 12345);  // by a process that cannot know the value
    REQUIRE(drainer.take(record) == Taken::nothing);
    ring->drained.store(number - 1);
    const OutcomeRecord small = outcome(number);
    REQUIRE(put(*ring, small.head));
    ring->drained.store(UINT64_MAX - number);
    REQUIRE(drainer.take(record) == Taken::record);
    CHECK(number_of(record) == number);
    CHECK(ring->drained.load() == number);
  }
}

TEST_CASE("of several writers nothing is torn, doubled or lost uncounted") {
  constexpr std::uint64_t kWriters = 4;
  constexpr std::uint64_t kEach = 40000;
  const auto ring = new_ring();
  std::vector<std::thread> writers;
  for (std::uint64_t writer = 0; writer < kWriters; ++writer) {
    writers.emplace_back([&ring, writer] {
      for (std::uint64_t i = 0; i < kEach; ++i)
        put(*ring, operation(writer * kEach + i, static_cast<std::uint32_t>(i % kOperationAnswersMax)).head);
    });
  }
  std::vector<char> seen(kWriters * kEach, 0);
  std::uint64_t taken = 0;
  std::uint64_t doubled = 0;
  Drainer drainer(*ring);
  TakenRecord record;
  const auto drain = [&] {
    while (drainer.take(record) == Taken::record) {
      if (seen.at(number_of(record))++ != 0) ++doubled;
      ++taken;
    }
  };
  while (taken + ring->lost.load() < kWriters * kEach) drain();
  for (std::thread& writer : writers) writer.join();
  drain();
  CHECK(doubled == 0);
  CHECK(taken + ring->lost.load() == kWriters * kEach);
}

}  // namespace
