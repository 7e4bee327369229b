// SPDX-License-Identifier: MIT
// read_once: reads and writes values in memory that other processes may change at any moment.
//
// The rule for all memory that another process can write (a job's segment and the table of dirty data in it, the board, the ring) has three steps. A value
// is read once into a local copy. Every field of the copy is checked for being possible. Then the copy is used. Before that check no shared value is used
// as an index, a count, a length, a divisor, a shift or an instant. No value is read a second time. An impossible value is not repaired but dropped.
// A plain read is not enough: the compiler may read the memory twice, and the second value may differ from the checked value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace gray::base {

namespace detail {
using AliasedWord __attribute__((may_alias)) = std::uint64_t;
template <typename T>
inline constexpr bool kIsOneWord = sizeof(T) <= sizeof(std::uint64_t) && (sizeof(T) & (sizeof(T) - 1)) == 0;
template <typename T>
inline constexpr bool kIsWords = sizeof(T) % sizeof(std::uint64_t) == 0 &&
                                 alignof(T) >= alignof(std::uint64_t);
}  // namespace detail

/// A copy that no other process can change. In a value longer than a word, each word is read at one moment. Different words may be read at
/// different moments.
template <typename T>
__attribute__((always_inline)) inline T read_once(const T& shared) {
  static_assert(std::is_trivially_copyable_v<T> && (detail::kIsOneWord<T> || detail::kIsWords<T>));
  T copy;
  if constexpr (detail::kIsOneWord<T>) {
    __atomic_load(&shared, &copy, __ATOMIC_RELAXED);
  } else {
    const auto* from = reinterpret_cast<const detail::AliasedWord*>(&shared);
    auto* to = reinterpret_cast<detail::AliasedWord*>(&copy);
    for (std::size_t i = 0; i < sizeof(T) / sizeof(std::uint64_t); ++i)
      to[i] = __atomic_load_n(from + i, __ATOMIC_RELAXED);
  }
  return copy;
}

/// Stores a value, word by word, in memory that other processes may read or write.
template <typename T>
__attribute__((always_inline)) inline void write_once(T& shared, std::type_identity_t<T> value) {
  static_assert(std::is_trivially_copyable_v<T> && (detail::kIsOneWord<T> || detail::kIsWords<T>));
  if constexpr (detail::kIsOneWord<T>) {
    __atomic_store(&shared, &value, __ATOMIC_RELAXED);
  } else {
    const auto* from = reinterpret_cast<const detail::AliasedWord*>(&value);
    auto* to = reinterpret_cast<detail::AliasedWord*>(&shared);
    for (std::size_t i = 0; i < sizeof(T) / sizeof(std::uint64_t); ++i)
      __atomic_store_n(to + i, from[i], __ATOMIC_RELAXED);
  }
}

}  // namespace gray::base
