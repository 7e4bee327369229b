// SPDX-License-Identifier: MIT
// job_progress: how fast a job's own calls are. It is used where no counter tells of other users of the disk. Plain values;
// policy/manners.hpp makes them.
#pragma once

#include <cstdint>

#include "toolbox/base/streaming_line.hpp"

namespace discnice {

/// Kinds of calls that wait for a disk in different ways. New kinds go to the end: the number is a place in shared memory.
enum class CallKind : std::uint8_t {
  read_on,     // a read that goes on where the one before it ended
  read_start,  // any other read
  read_back,   // a read that goes on after the job itself had paused, or had moved the head elsewhere
  name,        // opening, listing, looking up, renaming, removing
  flush,       // written data is brought to the disk
};
inline constexpr unsigned kCallKinds = 5;

/// The sums over the calls of one kind: the number, the bytes and the time.
struct CallSums {
  std::uint64_t calls = 0;
  std::uint64_t kib = 0;
  std::uint64_t us = 0;
  std::uint64_t kib_squares = 0;
  std::uint64_t kib_us = 0;
};

/// What is known of a job's progress on one disk. It consists of words only, because it lies in shared memory.
struct JobProgress {
  gray::base::LineSums learned[kCallKinds];  // microseconds by KiB, at the job's own best
  std::uint64_t signs =
      0;  // one bit for each of the last intervals, the newest lowest: 1 is slower than expected
  std::uint64_t sign_count = 0;
  std::uint64_t is_suspended = 0;  // 1: suspended by a verdict, until probes go well
  std::uint64_t good_probes = 0;   // in a row
  std::uint64_t is_head_away = 0;  // 1: a pause, a flush or a name lies between the last read and the next
};

/// The calls of all members in one interval.
struct ProgressInterval {
  CallSums calls[kCallKinds];
};

}  // namespace discnice
