// SPDX-License-Identifier: MIT
// guarded_word: an instant in shared memory, protected so that damaged memory cannot turn it into an endless wait.
//
// The word holds the lower 52 bits of the instant (52 days of nanoseconds, read as the nearest such instant to now). The rest of the word holds the
// remainder of these bits by a prime above 255. After a change of any one byte the two no longer match, so the change is noticed. The word then
// counts as "now": no bytes are owed, and no bytes are saved.
#pragma once

#include <atomic>
#include <cstdint>

namespace discnice::protocol {

inline constexpr std::uint64_t kInstantBits = 52;
inline constexpr std::uint64_t kInstantMask = (UINT64_C(1) << kInstantBits) - 1;
inline constexpr std::uint64_t kInstantPrime = 4093;
/// No correct instant lies further ahead.
inline constexpr std::uint64_t kAheadMaxNs = UINT64_C(24) * 3600 * 1'000'000'000;

constexpr std::uint64_t pack_instant(std::uint64_t instant_ns) {
  const std::uint64_t low = instant_ns & kInstantMask;
  return low | (low % kInstantPrime) << kInstantBits;
}

/// The instant, or `now_ns` if pack_instant() cannot have made the word.
constexpr std::uint64_t unpack_instant(std::uint64_t word, std::uint64_t now_ns) {
  const std::uint64_t low = word & kInstantMask;
  if (low % kInstantPrime != word >> kInstantBits) return now_ns;
  constexpr std::uint64_t kSpan = kInstantMask + 1;
  std::uint64_t instant_ns = (now_ns & ~kInstantMask) | low;
  if (instant_ns > now_ns && instant_ns - now_ns > kSpan / 2 && instant_ns >= kSpan) instant_ns -= kSpan;
  if (instant_ns < now_ns && now_ns - instant_ns > kSpan / 2) instant_ns += kSpan;
  return instant_ns > now_ns && instant_ns - now_ns > kAheadMaxNs ? now_ns : instant_ns;
}

inline std::uint64_t load_instant(const std::atomic<std::uint64_t>& word, std::uint64_t now_ns) {
  return unpack_instant(word.load(std::memory_order_relaxed), now_ns);
}

inline void store_instant(std::atomic<std::uint64_t>& word, std::uint64_t instant_ns) {
  word.store(pack_instant(instant_ns), std::memory_order_relaxed);
}

/// Replaces the instant by the result of `next`, by compare-and-swap. `next` is called again when another process changed the word meanwhile.
template <typename Next>
void change_instant(std::atomic<std::uint64_t>& word, std::uint64_t now_ns, Next next) {
  std::uint64_t before = word.load(std::memory_order_relaxed);
  while (!word.compare_exchange_weak(before, pack_instant(next(unpack_instant(before, now_ns))),
                                     std::memory_order_relaxed)) {
  }
}

}  // namespace discnice::protocol
