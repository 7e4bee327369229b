// SPDX-License-Identifier: MIT
// discnice_dirty_fuzz: any bytes as a job's table of dirty data, while the readers and writers of it go on.
// fuzz-links: discnice_predictor
//
// Between two calls anything may be written anywhere in the table, and it may be taken over. For every input these must be true. No access leaves the table. A
// mark returns no more pages than the marked range has. A creation costs at most the bytes that it may make dirty. A removal gives back no more than a file can
// hold. A process that lost the table does not write to it any more.
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "tests/fuzz/poked_memory.hpp"
#include "tools/discnice/predictor/page_key.hpp"
#include "tools/discnice/predictor/predictor.hpp"

namespace {

using namespace discnice;
using namespace discnice::predictor;
using fuzz::Input;
using fuzz::require;

constexpr std::size_t kInputBytesMax = 512;
constexpr std::uint64_t kNowNs = UINT64_C(1) << 40U;
// The new file's folder takes one page, the file system four blocks.
constexpr std::uint64_t kCreationPagesMax = 5;

alignas(4096) DirtyData::Memory memory;
constexpr std::size_t kFirstBytes = sizeof memory - UpdateRegions::kRestingBytes;

struct World {
  Input input;
  std::atomic<std::uint64_t> holder{1};
  DirtyData dirty{memory, Lease(holder, 1)};
  std::uint64_t now_ns = kNowNs;
  bool has_touched_rest = false;
};

FileId file_id(Input& input) {
  return {input.number(1) % 2, input.number(1) % 200};
}

void damage(World& world) {
  Input& input = world.input;
  if (input.number(1) % 4 != 0) {  // mostly damage the entries, which the code reads most
    const std::size_t at =
        fuzz::poke(input, &memory.regions, kFirstBytes - sizeof memory.inode_blocks, kNowNs);
    require(at < sizeof memory.regions);
  } else {
    world.has_touched_rest |= fuzz::poke(input, &memory, sizeof memory, kNowNs) >= kFirstBytes;
  }
}

// Writes an entry as an attacker who knows the layout would write it: its first intervals, in any order.
void forge(World& world) {
  Input& input = world.input;
  auto& entry = memory.regions.files[input.number(1) % UpdateRegions::kFilesMax];
  entry.head.interval_count = input.number(1) % 16;
  entry.head.dirty_since_ns = kNowNs;
  for (std::uint64_t left = input.number(1) % UpdateRegions::kIntervalsMax; left > 0; --left) {
    auto& interval = entry.intervals[input.number(1) % UpdateRegions::kIntervalsMax];
    interval.first_page = input.number(2);
    interval.end_page = interval.first_page + input.number(1);
  }
}

void write_or_remove(World& world, std::uint64_t choice) {
  Input& input = world.input;
  UpdateRegions& regions = world.dirty.regions;
  const FileId file = file_id(input);
  const std::uint64_t first_page = choice % 2 == 0 ? input.number(2) : fuzz::strange_number(input, kPagesMax);
  const std::uint64_t end_page = first_page + input.number(1);
  switch (choice % 4) {
    case 0:
    case 1:
      require(regions.mark(file, first_page, end_page, world.now_ns) <=
              (end_page > first_page ? end_page - first_page : 0));
      break;
    case 2:
      require(regions.remove(file, first_page, end_page, world.now_ns) <= kPagesMax);
      break;
    default:
      require(regions.remove_from(file, first_page, world.now_ns) <= kPagesMax);
  }
}

void run_one(World& world, std::uint64_t choice) {
  Input& input = world.input;
  UpdateRegions& regions = world.dirty.regions;
  switch (choice % 16) {
    case 0:
    case 1:
    case 2:
      return damage(world);
    case 3:
      return forge(world);
    case 4: {
      const IoOp op{OpKind::create, file_id(input), 0, 256, input.number(1) % 2 * kPageBytes};
      require(estimate_creation(op, world.dirty, world.now_ns).write_bytes <= kCreationPagesMax * kPageBytes);
      return;
    }
    case 5:
      static_cast<void>(regions.is_dirty(file_id(input), input.number(2), world.now_ns));
      return;
    case 6:
      return regions.clear(file_id(input));
    case 7:
      if (regions.wants_rest()) regions.allow_rest(input.number(1) % 2 == 0);
      return;
    case 8:
      if (input.number(1) == 7) world.dirty.forget_all();
      return;
    case 9:
      world.now_ns += input.number(1) << 28U;
      return;
    case 10:  // almost full: entries that were not written to for longest have to make room
      memory.regions.file_count = UpdateRegions::kFilesMax - static_cast<std::uint32_t>(input.number(1) % 4);
      return;
    case 11: {  // another holder takes the table over: from here on this holder must write nothing
      if (input.number(1) % 8 != 3) return;
      world.holder = 2;
      const std::uint64_t marks = memory.regions.marks;
      const std::uint32_t count = memory.regions.file_count;
      require(regions.mark(file_id(input), 0, 3, world.now_ns) <= 3);
      regions.remove_from(file_id(input), 0, world.now_ns);
      require(memory.regions.marks == marks && memory.regions.file_count == count);
      return;
    }
    default:
      return write_or_remove(world, choice / 16);
  }
}

void clean(const World& world) {
  std::memset(static_cast<void*>(&memory), 0, world.has_touched_rest ? sizeof memory : kFirstBytes);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > kInputBytesMax) return 0;
  World world{Input(data, size)};
  while (!world.input.is_empty()) {
    run_one(world, world.input.number(1));
    // A damaged byte may have allowed the access: 2.
    world.has_touched_rest |= memory.regions.rest == 2;
  }
  clean(world);
  return 0;
}
