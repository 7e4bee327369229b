// SPDX-License-Identifier: MIT
// ring: the shared memory through which the members of a job hand records to the launcher. The launcher drains it into a file.
//
// The members do not append to a file, because writing to it would be disk work of the very process whose disk work is recorded. A write could also
// fail because of a full disk, a limit on file sizes (whose signal kills the process), a sandbox or another root folder. A member only copies a
// record into memory that is reserved already. When there is no room, the member leaves the record out and counts it as lost.
//
// Any number of members write, and one process drains. A member claims slots by compare-and-swap and publishes its record by storing the first word
// last. A member that is killed between the two leaves a hole. The drainer waits for a hole, and then skips it slot by slot. The checksum tells a
// record from the rest of a torn record. There is no lock that a killed member could leave behind.
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
/// The ring has 16 MiB: enough for the records of four busy processors in a tenth of a second. The launcher looks every few
/// milliseconds.
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
  std::atomic<std::uint64_t> operations;  // numbers of operations given out. Writer: the members, by addition
  alignas(64) RingSlot slots[kRingSlots];
};

/// The ring lies behind the segment, in the same file. Another process that sees the segment's name could take a second
/// name first.
inline constexpr long kRingPlace =
    (sizeof(Segment) + 65535) / 65536 * 65536;  // a whole page on every machine
inline constexpr std::uint64_t kRecordedBytes = kRingPlace + sizeof(Ring);

/// Makes the ring of the segment of that name, and reserves its memory. Errors as for make() of a segment.
gray::base::Result<Ring*> make_ring(const SegmentName& name);

/// Maps the ring of that segment. Errors: as open(2), -EPERM, -EPROTO.
gray::base::Result<Ring*> join_ring(const SegmentName& name);

void unmap_ring(Ring* ring);

/// Copies a sealed record into the ring. Returns false when there was no room, which is counted. Lock-free; any thread of any member may call it.
bool put(Ring& ring, const RecordHead& record);

/// What the drainer found at its place.
enum class Taken : std::uint8_t { record, nothing, hole, torn, broken };

/// A record, copied out and checked, or the reason why there is none.
struct TakenRecord {
  alignas(8) unsigned char bytes[kRecordBytesMax];

  [[nodiscard]] const RecordHead& head() const { return reinterpret_cast<const RecordHead&>(bytes); }
};

/// Drains the ring. The reader keeps its own position and its own count of lost records, because other processes could change the
/// numbers in the ring.
class Drainer {
 public:
  /// Starts where the ring has been drained so far; in a new ring that is its beginning.
  explicit Drainer(Ring& ring) : ring_(ring), place_(ring.drained.load(std::memory_order_relaxed)) {}

  /// Takes the next record, in a bounded number of steps. `hole`: a member has claimed this place and has not published its record yet. `torn`: the
  /// bytes there were no record, and the drainer has skipped a slot. `broken`: the ring's own numbers contradict each other, and the ring must not be drained
  /// any more.
  Taken take(TakenRecord& record);

  /// Skips the slot at this place and counts the slot as a lost record.
  void skip();

  /// The number of lost records: the records that found no room in the ring, plus one for each slot that the drainer skipped.
  [[nodiscard]] std::uint64_t lost() const;

 private:
  void give_back(std::uint64_t slots);

  Ring& ring_;
  std::uint64_t place_;
  std::uint64_t given_up_ = 0;
};

}  // namespace discnice::protocol
