// SPDX-License-Identifier: MIT
// follow_rule: decides how large the heap of a program may be from now on. Other files gather the facts for this decision.
//
// Knowledge assumed: a collector's work grows as its heap nears what is live: a heap of H bytes with L live ones is collected each time that H - L
// bytes were allocated. The kernel takes pages that were not touched for long, and a heap is touched as a whole.
// Output observed: the memory that the pools leave to the heap, the share of the time spent in collections, and the share of the time in which some process waits for memory.
// Inference drawn: less room than the heap may take is a reason to shrink at once; room that falls fast falls on meanwhile. More is a reason to grow when it has stayed, and when the
// larger heap saves more of the time than waiting for memory costs now.
// What breaks it: a program whose collector does not work in this way (reference counts, a cache); it then says that its cost is unknown. Live data that grows between two
// questions.
#pragma once

#include <cstdint>

namespace gray::memory {

/// The numbers are those of gray/follow.h.
enum class FollowVerdict : std::uint32_t { stay = 0, grow = 1, shrink = 2 };
enum class FollowReason : std::uint32_t {
  none = 0,      // nothing has changed
  first = 1,     // the first answer
  room = 2,      // there is less, or more, than the heap may take
  pressure = 3,  // somebody waits for memory
  live = 4,      // more is live than the heap may take
};

/// The value for an unknown share of the time.
inline constexpr double kShareUnknown = -1;

/// The facts at one question.
struct FollowLook {
  std::uint64_t now_ns = 0;
  std::uint64_t heap_bytes = 0;     // that the heap has of the kernel
  std::uint64_t live_bytes = 0;     // of them, after the last collection
  std::uint64_t allowed_bytes = 0;  // the heap's size at which each pool keeps its margin
  // How much memory the process as a whole may have. Unlike the values above, this does not depend on how the process divides its own memory.
  std::uint64_t reach_bytes = 0;
  std::uint64_t margin_bytes = 0;  // of the tightest pool
  std::uint64_t min_bytes = 0;     // the caller's bounds
  std::uint64_t max_bytes = 0;
  double collecting_share = kShareUnknown;  // of the time since the last question
  double waiting_share = 0;                 // in which somebody waited for memory
  std::uint64_t paged_in_bytes = 0;         // of memory that had been put out, since the last question
};

/// What is remembered from one question to the next.
struct FollowState {
  std::uint64_t told_bytes = 0;         // 0: nothing was told yet
  std::uint64_t reach_bytes = 0;        // at the last question
  std::uint64_t shrunk_ns = 0;          // when it was last told to shrink
  std::uint64_t grown_ns = 0;           // and to grow
  std::uint64_t more_since_ns = 0;      // since when there has been more room than that; 0: there is not
  std::uint64_t more_bytes = 0;         // the least of it meanwhile
  std::uint64_t patience_ns = 0;        // how long room has to stay; 0: the shortest
  double collecting_share_highest = 0;  // while there was more room
};

struct FollowDecision {
  FollowVerdict verdict = FollowVerdict::stay;
  FollowReason reason = FollowReason::none;
  FollowState state;  // told_bytes is the advice
};

/// Pure.
FollowDecision decide(const FollowLook& look, FollowState state);

/// The smallest heap for this much live data: a quarter more.
std::uint64_t least_heap_bytes(std::uint64_t live_bytes);

}  // namespace gray::memory
