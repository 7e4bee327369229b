// SPDX-License-Identifier: MIT
// sized_struct: structs that cross the ABI, between programs and libraries of different age.
//
// Such a struct begins with its size as the caller's header had it, and only ever grows at its end. A caller
// older than the library has a shorter one, a newer caller a longer one.
#pragma once

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <type_traits>

namespace gray::api {

/// Copies the caller's struct into `out`; fields that the caller's header does not have become zero. first_size is the size in the first release that had the struct. -EINVAL:
/// given->size is less than that. -E2BIG: the caller's header is newer, and it asks for something that this library does not know.
template <typename T>
int read_sized(const T* given, std::size_t first_size, T& out) {
  static_assert(std::is_trivially_copyable_v<T> && offsetof(T, size) == 0);
  const std::size_t given_size = given->size;
  if (given_size < first_size) return -EINVAL;
  const auto* bytes = reinterpret_cast<const unsigned char*>(given);
  for (std::size_t i = sizeof(T); i < given_size; ++i) {
    if (bytes[i] != 0) return -E2BIG;
  }
  out = T{};
  std::memcpy(&out, given, std::min(given_size, sizeof(T)));
  return 0;
}

/// Copies `answer` to the caller, as far as the caller's header knows its fields. Fields that only the caller knows become zero. taker->size does not change. -EINVAL:
/// taker->size is less than first_size.
template <typename T>
int write_sized(const T& answer, std::size_t first_size, T* taker) {
  static_assert(std::is_trivially_copyable_v<T> && offsetof(T, size) == 0);
  const std::size_t taker_size = taker->size;
  if (taker_size < first_size) return -EINVAL;
  auto* bytes = reinterpret_cast<unsigned char*>(taker);
  std::memcpy(bytes, &answer, std::min(taker_size, sizeof(T)));
  if (taker_size > sizeof(T)) std::memset(bytes + sizeof(T), 0, taker_size - sizeof(T));
  taker->size = taker_size;
  return 0;
}

}  // namespace gray::api
