// SPDX-License-Identifier: MIT
// lane: one direction of the UDP traffic of a tree of processes. All its processes share one word, the instant until which what has passed is paid for at the rate.
//
// This is the "theoretical arrival time" of the generic cell rate algorithm (ITU-T I.371). A call moves the word on by what its bytes cost, by compare-and-swap, and goes at the
// instant where the word was. So many processes take turns without a lock, and the rate is exact however late a sleep ends: what was lost is in the credit.
// Any process of the user may write these words. So each word is read once and bounded before it is used: no call ever waits longer than kWaitMostNs.
// Pure but for the shared words: the clock is a parameter. Safe inside the program that loads the library.
#pragma once

#include <atomic>
#include <cstdint>

namespace netnice::gate {

/// No call waits longer, whatever the words say.
inline constexpr std::uint64_t kWaitMostNs = 1'000'000'000;

struct Lane {
  std::atomic<std::uint64_t> rate_bytes_per_s;  // written by netnice; 0: nothing is held
  std::atomic<std::uint64_t> paid_ns;           // written by every process
  std::atomic<std::uint64_t> moved_bytes;       // since netnice last looked
  std::atomic<std::uint64_t> wanted_ns;         // when a call last had to wait; read by netnice
};

/// A place in a lane.
struct Turn {
  std::uint64_t at_ns = 0;    // when the call may go; never later than kWaitMostNs from now
  std::uint64_t cost_ns = 0;  // what was booked
};

/// Books bytes that are to be moved.
Turn book(Lane& lane, std::uint64_t bytes, std::uint64_t now_ns);

/// Settles a turn when the call has been made: what was booked and not moved is given back.
void settle(Lane& lane, const Turn& turn, std::uint64_t booked_bytes, std::uint64_t moved_bytes);

/// Books bytes that have moved already.
void charge(Lane& lane, std::uint64_t bytes, std::uint64_t now_ns);

/// When all that has moved is paid for; never later than kWaitMostNs from now.
std::uint64_t free_at_ns(const Lane& lane, std::uint64_t now_ns);

}  // namespace netnice::gate
