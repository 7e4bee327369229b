// SPDX-License-Identifier: MIT
// discnice_ring_fuzz: any bytes as the ring of records, while members put records in and the launcher takes them out.
// fuzz-links: discnice_protocol discnice_replay
//
// For every input these must be true. No access leaves the ring. A record that is taken out fits its checksum and its size. The drainer moves on exactly by the bytes that it
// took out, so each step is bounded.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>

#include "tests/fuzz/poked_memory.hpp"
#include "tools/discnice/cli/record_reader.hpp"
#include "tools/discnice/protocol/ring.hpp"

namespace {

using namespace discnice;
using namespace discnice::protocol;
using fuzz::Input;
using fuzz::require;

constexpr std::size_t kInputBytesMax = 512;
constexpr std::size_t kHeadBytes = offsetof(Ring, slots);
constexpr std::size_t kTouchedMax = 4 * kInputBytesMax;
constexpr std::uint64_t kRecordSlotsMax = kRecordBytesMax / kSlotBytes;

const std::unique_ptr<Ring> ring = std::make_unique<Ring>();

struct World {
  Input input;
  std::uint64_t start;  // the ring's first position, chosen so that its end is reached as well
  std::uint64_t place;  // the position at which the drainer must be
  std::size_t touched_count = 0;
  std::uint32_t touched[kTouchedMax] = {};

  void touch(std::uint64_t slot) {
    if (touched_count < kTouchedMax) touched[touched_count++] = static_cast<std::uint32_t>(slot % kRingSlots);
  }
};

void put_one(World& world) {
  Input& input = world.input;
  OperationRecord record{};
  record.answer_count = static_cast<std::uint32_t>(input.number(1) % 40);
  record.kind = static_cast<std::uint8_t>(input.number(1));
  seal(record.head, static_cast<std::uint16_t>(input.number(1)),
       kOperationFixedBytes + input.number(1) % kOperationAnswersMax * sizeof(RecordedAnswer));
  const std::uint64_t claimed = ring->claimed.load();
  if (!put(*ring, record.head)) return;
  for (std::uint64_t i = 0; i < record.head.bytes / kSlotBytes; ++i) world.touch(claimed + i);
}

void take_one(World& world, Drainer& drainer) {
  TakenRecord record;
  std::memset(record.bytes, 0, sizeof record.bytes);
  switch (drainer.take(record)) {
    case Taken::record:
      require(record.head().bytes >= kSlotBytes && record.head().bytes <= kRecordBytesMax &&
              is_intact(record.bytes));
      static_cast<void>(cli::is_sound(record));
      world.place += record.head().bytes / kSlotBytes;
      break;
    case Taken::torn:
      world.place += 1;
      break;
    case Taken::hole:
      if (world.input.number(1) % 2 == 0) return;
      drainer.skip();
      world.place += 1;
      break;
    case Taken::nothing:
    case Taken::broken:
      return;
  }
  require(ring->drained.load() == world.place);
}

void damage(World& world) {
  Input& input = world.input;
  if (input.number(1) % 2 == 0) {
    fuzz::poke(input, ring.get(), kHeadBytes, world.place);
    return;
  }
  const std::uint64_t slot = (world.place + input.number(1) % (2 * kRecordSlotsMax)) % kRingSlots;
  world.touch(slot);
  fuzz::poke(input, &ring->slots[slot], sizeof(RingSlot), world.place);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > kInputBytesMax) return 0;
  World world{Input(data, size), 0, 0};
  world.start = world.place = kRingSlots - world.input.number(1);
  ring->claimed = ring->drained = world.start;
  Drainer drainer(*ring);
  while (!world.input.is_empty()) {
    const std::uint64_t choice = world.input.number(1) % 8;
    if (choice < 3) {
      put_one(world);
    } else if (choice < 6) {
      take_one(world, drainer);
    } else {
      damage(world);
    }
  }
  std::memset(static_cast<void*>(ring.get()), 0, kHeadBytes);
  for (std::size_t i = 0; i < world.touched_count; ++i)
    std::memset(static_cast<void*>(&ring->slots[world.touched[i]]), 0, sizeof(RingSlot));
  return 0;
}
