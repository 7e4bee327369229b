// SPDX-License-Identifier: MIT
// follow_rule: decides how large a program's heap may be from now on. The facts for the decision are collected elsewhere.
//
// Knowledge assumed: a collector works more when the live data is nearly as large as the heap. A heap of H bytes with L live bytes is collected each time that
// H - L bytes were allocated. The kernel takes memory that has not been touched for long, and a collector touches its whole heap.
// Output observed: the memory that the pools leave to the heap (its room), the share of time spent collecting, and the share of time in which tasks
// wait for memory.
// Inference drawn: when the room is below the heap's allowance, the heap must shrink at once. Room that falls fast is expected to fall further. More room is a
// reason to grow if it has lasted for some time, and if the larger heap saves more time than waiting for memory costs now.
// What breaks it: a program that frees memory in another way than by a collector (reference counts, a cache). Such a program says that its cost is not known.
// Live data that grows between two questions.
#pragma once

#include <cstdint>

namespace gray::memory {

/// The numbers are those of gray/follow.h.
enum class FollowVerdict : std::uint32_t { stay = 0, grow = 1, shrink = 2 };
enum class FollowReason : std::uint32_t {
  none = 0,      // nothing has changed
  first = 1,     // the first answer
  room = 2,      // there is less or more room than the heap's allowance
  pressure = 3,  // tasks wait for memory
  live = 4,      // the live data is larger than the heap's allowance
};

/// The share of the time is not known.
inline constexpr double kShareUnknown = -1;

/// The facts at one question.
struct FollowLook {
  std::uint64_t now_ns = 0;
  std::uint64_t heap_bytes = 0;     // memory that the heap has from the kernel
  std::uint64_t live_bytes = 0;     // of these bytes, the live ones after the last collection
  std::uint64_t allowed_bytes = 0;  // the heap's size at which each pool keeps its margin
  // The memory that the process as a whole may have. Unlike allowed_bytes it does not depend on how the process divides its memory.
  std::uint64_t reach_bytes = 0;
  std::uint64_t margin_bytes = 0;  // the margin of the tightest pool
  std::uint64_t min_bytes = 0;     // the caller's bounds
  std::uint64_t max_bytes = 0;
  double collecting_share =
      kShareUnknown;  // the share of the time since the last question in which collecting stopped the program
  double waiting_share = 0;  // the share of the time in which a task waited for memory
  // Memory that had been paged out and was read back since the last question.
  std::uint64_t paged_in_bytes = 0;
};

/// The state that is kept from one question to the next.
struct FollowState {
  std::uint64_t told_bytes = 0;   // the last advice; 0: no advice yet
  std::uint64_t reach_bytes = 0;  // the reach_bytes of the last question
  std::uint64_t shrunk_ns = 0;    // when the last advice to shrink was given
  std::uint64_t grown_ns = 0;     // when the last advice to grow was given
  // The time since which there has been more room than told_bytes; 0: there is no more room now.
  std::uint64_t more_since_ns = 0;
  std::uint64_t more_bytes = 0;   // the least room since more_since_ns
  std::uint64_t patience_ns = 0;  // how long room has to stay before the heap grows; 0: the shortest time
  double collecting_share_highest = 0;  // the highest share while there was more room
};

struct FollowDecision {
  FollowVerdict verdict = FollowVerdict::stay;
  FollowReason reason = FollowReason::none;
  FollowState state;  // told_bytes is the advice
};

/// Pure.
FollowDecision decide(const FollowLook& look, FollowState state);

/// The smallest heap for this much live data: a quarter more than the live data.
std::uint64_t least_heap_bytes(std::uint64_t live_bytes);

}  // namespace gray::memory
