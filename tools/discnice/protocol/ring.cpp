// SPDX-License-Identifier: MIT
#include "tools/discnice/protocol/ring.hpp"

#include <cerrno>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "toolbox/base/raw_sys.hpp"
#include "toolbox/base/shared_file.hpp"
#include "toolbox/base/short_text.hpp"

namespace discnice::protocol {
namespace {

using gray::base::append_text;
using gray::base::is_raw_error;
using gray::base::raw_syscall;
using gray::base::Result;
using gray::base::ScopedFd;
using gray::base::word;

constexpr std::uint64_t kRingMagic = UINT64_C(0x676e6972636e7364);  // "dsncring" on a little-endian machine
constexpr std::size_t kWordsPerSlot = kSlotBytes / sizeof(std::uint64_t);

// Opens the file of the segment of that name.
ScopedFd open_segment(const SegmentName& name, std::uint64_t* size_bytes) {
  Maker maker{};
  if (!read_maker(name, &maker)) return ScopedFd(-EINVAL);
  char path[sizeof kSegmentFolder + kSegmentNameBytesMax] = {};
  append_text(append_text(path, kSegmentFolder), name.text);
  return gray::base::open_shared_file(path, size_bytes, gray::base::Names::any);
}

Result<Ring*> map(long descriptor) {
  const long address =
      raw_syscall(SYS_mmap, 0, sizeof(Ring), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, kRingPlace);
  if (is_raw_error(address)) return Result<Ring*>::failure(static_cast<int>(address));
  return reinterpret_cast<Ring*>(address);
}

std::atomic<std::uint64_t>* words_at(Ring& ring, std::uint64_t place) {
  return ring.slots[place % kRingSlots].words;
}

// Copies the slots of a record that starts at `place` to `target`, as many as `bytes` fill, except the first word.
void copy_out(Ring& ring, std::uint64_t place, std::size_t bytes, unsigned char* target) {
  for (std::size_t i = 1; i < bytes / sizeof(std::uint64_t); ++i) {
    const std::uint64_t value =
        words_at(ring, place + i / kWordsPerSlot)[i % kWordsPerSlot].load(std::memory_order_relaxed);
    std::memcpy(target + i * sizeof value, &value, sizeof value);
  }
}

}  // namespace

Result<Ring*> make_ring(const SegmentName& name) {
  std::uint64_t size_bytes = 0;
  const ScopedFd file = open_segment(name, &size_bytes);
  if (!file.is_open()) return Result<Ring*>::failure(file.error());
  const long reserved = raw_syscall(SYS_fallocate, file.get(), 0, kRingPlace, sizeof(Ring));
  if (is_raw_error(reserved)) return Result<Ring*>::failure(static_cast<int>(reserved));
  const Result<Ring*> ring = map(file.get());
  if (!ring) return ring;
  ring.value()->version = kRingVersion;
  ring.value()->slot_count = kRingSlots;
  ring.value()->magic.store(kRingMagic, std::memory_order_release);  // pairs with the acquire in join_ring()
  return ring;
}

Result<Ring*> join_ring(const SegmentName& name) {
  std::uint64_t size_bytes = 0;
  const ScopedFd file = open_segment(name, &size_bytes);
  if (!file.is_open()) return Result<Ring*>::failure(file.error());
  if (size_bytes != kRecordedBytes) return Result<Ring*>::failure(-EPROTO);
  const Result<Ring*> ring = map(file.get());
  if (!ring) return ring;
  const Ring& found = *ring.value();
  const bool is_ours = found.magic.load(std::memory_order_acquire) == kRingMagic &&
                       found.version == kRingVersion && found.slot_count == kRingSlots;
  if (is_ours) return ring;
  unmap_ring(ring.value());
  return Result<Ring*>::failure(-EPROTO);
}

void unmap_ring(Ring* ring) {
  raw_syscall(SYS_munmap, word(ring), sizeof(Ring));
}

bool put(Ring& ring, const RecordHead& record) {
  const std::uint64_t slots = record.bytes / kSlotBytes;
  std::uint64_t place = ring.claimed.load(std::memory_order_relaxed);
  do {
    // This acquire pairs with Drainer::give_back(): slots that look free have been cleared.
    if (place + slots - ring.drained.load(std::memory_order_acquire) > kRingSlots) {
      ring.lost.fetch_add(1, std::memory_order_relaxed);
      return false;
    }
  } while (!ring.claimed.compare_exchange_weak(place, place + slots, std::memory_order_relaxed));
  const auto* source = reinterpret_cast<const unsigned char*>(&record);
  for (std::size_t i = 1; i < record.bytes / sizeof(std::uint64_t); ++i) {
    std::uint64_t value = 0;
    std::memcpy(&value, source + i * sizeof value, sizeof value);
    words_at(ring, place + i / kWordsPerSlot)[i % kWordsPerSlot].store(value, std::memory_order_relaxed);
  }
  std::uint64_t first = 0;
  std::memcpy(&first, source, sizeof first);
  words_at(ring, place)[0].store(first, std::memory_order_release);  // pairs with the acquire in take()
  return true;
}

void Drainer::give_back(std::uint64_t slots) {
  for (std::uint64_t i = 0; i < slots; ++i)
    words_at(ring_, place_ + i)[0].store(0, std::memory_order_relaxed);
  place_ += slots;
  ring_.drained.store(place_, std::memory_order_release);  // pairs with the acquire in put()
}

Taken Drainer::take(TakenRecord& record) {
  const std::uint64_t waiting = ring_.claimed.load(std::memory_order_acquire) - place_;
  if (waiting == 0) return Taken::nothing;
  if (waiting > kRingSlots) return Taken::broken;
  const std::uint64_t first = words_at(ring_, place_)[0].load(std::memory_order_acquire);  // pairs with put()
  if (first == 0) return Taken::hole;
  std::memcpy(record.bytes, &first, sizeof first);
  const std::size_t bytes = record.head().bytes;
  if (bytes <= kRecordBytesMax && bytes / kSlotBytes <= waiting) {
    copy_out(ring_, place_, bytes, record.bytes);
    if (is_intact(record.bytes)) {
      give_back(bytes / kSlotBytes);
      return Taken::record;
    }
  }
  skip();
  return Taken::torn;
}

void Drainer::skip() {
  ++given_up_;
  give_back(1);
}

std::uint64_t Drainer::lost() const {
  return ring_.lost.load(std::memory_order_relaxed) + given_up_;
}

}  // namespace discnice::protocol
