// SPDX-License-Identifier: MIT
// ring: the shared memory through which the members of a job hand records to the launcher, which drains it into a file.
//
// Why not a file to which the members append? The writing would be disk work of the process that is recorded. It could also meet a full disk, a limit on file sizes (a deadly
// signal), a sandbox or another root folder. A member only copies a record into memory that is reserved already. When there is no room it leaves the record out and counts that.
//
// Any number of members write, one process drains. A member claims slots by compare-and-swap and publishes its record by storing
// the first word last. One that is killed between the two leaves a hole; the drainer skips a hole it has waited for in vain, slot by
// slot, and the checksum tells a record from the rest of a torn one. There is no lock to leave behind.
//
// Invariant: drained <= claimed <= drained + slots; the first word of every slot outside [drained, claimed) is 0.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "toolbox/base/result.hpp"
#include "tools/discnice/protocol/record_format.hpp"
#include "tools/discnice/protocol/segment.hpp"

namespace discnice::protocol {

inline constexpr std::uint32_t kRingVersion = 1;
/// 16 MiB: a tenth of a second of what four busy processors can record; the launcher looks every few milliseconds.
inline constexpr std::uint32_t kRingSlots = UINT32_C(1) << 18U;

struct RingSlot {
  std::atomic<std::uint64_t> words[kSlotBytes / sizeof(std::uint64_t)];
};

struct Ring {
  std::atomic<std::uint64_t> magic;  // writer: the creator, last (release); members acquire
  std::uint32_t version;
  std::uint32_t slot_count;
  alignas(64) std::atomic<std::uint64_t> claimed;  // slots, ever. Writer: the members, by compare-and-swap
  alignas(
      64) std::atomic<std::uint64_t> drained;  // slots, ever. Writer: the drainer (release); members acquire
  alignas(64)
      std::atomic<std::uint64_t> lost;  // records left out. Writer: the members and the drainer, by addition
  std::atomic<std::uint64_t> operations;  // numbers given out. Writer: the members, by addition
  alignas(64) RingSlot slots[kRingSlots];
};

/// The ring lies behind the segment, in the same file. A second file's name could be taken by another process that sees the first one.
inline constexpr long kRingPlace =
    (sizeof(Segment) + 65535) / 65536 * 65536;  // a whole page on every machine
inline constexpr std::uint64_t kRecordedBytes = kRingPlace + sizeof(Ring);

/// Makes the ring of the segment with that name, and reserves its memory. Errors are those of make() of a segment.
gray::base::Result<Ring*> make_ring(const SegmentName& name);

/// Maps the ring of that segment. Errors: as open(2), -EPERM, -EPROTO.
gray::base::Result<Ring*> join_ring(const SegmentName& name);

void unmap_ring(Ring* ring);

/// Copies a sealed record into the ring. False if there was no room; this is counted. Lock-free; any thread of any member.
bool put(Ring& ring, const RecordHead& record);

/// What the drainer found at its place.
enum class Taken : std::uint8_t { record, nothing, hole, torn, broken };

/// A record, copied and checked, or the reason why there is none.
struct TakenRecord {
  alignas(8) unsigned char bytes[kRecordBytesMax];

  [[nodiscard]] const RecordHead& head() const { return reinterpret_cast<const RecordHead&>(bytes); }
};

/// The process that drains the ring. It remembers its place and its losses in its own memory, because others could change them in the ring.
class Drainer {
 public:
  /// Starts at the place up to which the ring was drained; a new ring is drained from its beginning.
  explicit Drainer(Ring& ring) : ring_(ring), place_(ring.drained.load(std::memory_order_relaxed)) {}

  /// Takes the next record, in a bounded number of steps. `hole`: a member has claimed this place and has not published its record yet. `torn`: the data there was not a record,
  /// and one slot was given up. `broken`: the ring's own numbers contradict each other, so drain no more.
  Taken take(TakenRecord& record);

  /// Gives up the slot at this place and counts it as a lost record.
  void skip();

  /// How many records found no room in the ring, and how many slots were given up.
  [[nodiscard]] std::uint64_t lost() const;

 private:
  void give_back(std::uint64_t slots);

  Ring& ring_;
  std::uint64_t place_;
  std::uint64_t given_up_ = 0;
};

}  // namespace discnice::protocol
