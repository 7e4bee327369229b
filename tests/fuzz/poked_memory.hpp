// SPDX-License-Identifier: MIT
// poked_memory: fuzzes a structure in shared memory quickly. The structure stays in place. The input gives the places and the values of the writes. Each run's
// writes are undone at its end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace fuzz {

/// The input, taken in pieces. A used-up input gives zeroes.
class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size) : data_(data), left_(size) {}
  [[nodiscard]] bool is_empty() const { return left_ == 0; }
  std::uint64_t number(std::size_t bytes) {
    std::uint64_t value = 0;
    if (bytes > left_) bytes = left_;
    if (bytes != 0) std::memcpy(&value, data_, bytes);
    data_ += bytes;
    left_ -= bytes;
    return value;
  }

 private:
  const std::uint8_t* data_;
  std::size_t left_;
};

inline void require(bool is_true) {
  if (!is_true) std::abort();
}

/// A value as damage or chance may make it: zero, all ones, small, huge, near a given number, or anything.
inline std::uint64_t strange_number(Input& input, std::uint64_t near) {
  switch (input.number(1) % 8) {
    case 0:
      return 0;
    case 1:
      return UINT64_MAX;
    case 2:
      return input.number(1);
    case 3:
      return UINT64_C(1) << input.number(1) % 64;
    case 4:
      return near + input.number(1);
    case 5:
      return near - input.number(2);
    case 6:
      return near + (input.number(2) << 24U);
    default:
      return input.number(8);
  }
}

/// Writes a byte, a word, or a copy of another word, as the input says, into the `bytes` bytes at `start` (a multiple of 8).
inline std::size_t poke(Input& input, void* start, std::size_t bytes, std::uint64_t near) {
  auto* memory = static_cast<unsigned char*>(start);
  const std::size_t at = input.number(3) % bytes;
  const std::size_t word_at = at & ~std::size_t{7};
  std::uint64_t word = 0;
  switch (input.number(1) % 3) {
    case 0:
      memory[at] = static_cast<unsigned char>(input.number(1));
      return word_at;
    case 1:
      word = strange_number(input, near);
      break;
    default:
      std::memcpy(&word, memory + (input.number(3) % bytes & ~std::size_t{7}), sizeof word);
  }
  std::memcpy(memory + word_at, &word, sizeof word);
  return word_at;
}

}  // namespace fuzz
