// SPDX-License-Identifier: MIT
// page_key: one word that names a page, or a block of pages, of a file in the tables of this folder, and the place of a number in such a table.
#pragma once

#include <cstdint>

#include "tools/discnice/contract/io_op.hpp"

namespace discnice::predictor {

/// No file has more pages. A larger number means damaged shared memory. The bytes of this many pages still fit in 64 bits.
inline constexpr std::uint64_t kPagesMax = UINT64_MAX / kPageBytes;

/// Spreads the bits of a number over the whole word (the finaliser of the SplitMix64 generator).
constexpr std::uint64_t mixed(std::uint64_t value) {
  value = (value ^ (value >> 30U)) * UINT64_C(0xbf58476d1ce4e5b9);
  value = (value ^ (value >> 27U)) * UINT64_C(0x94d049bb133111eb);
  return value ^ (value >> 31U);
}

/// The name of a page. It is never 0, which means an empty slot. Two pages with the same name are too rare to matter.
constexpr std::uint64_t page_key(const FileId& file, std::uint64_t number) {
  return mixed(mixed(mixed(file.inode) ^ file.device) + number) | 1U;
}

/// The place of a number, of a file or of a block, in a table, in the upper half of the bits. Neighbouring numbers, and numbers at equal distances
/// (as of the files of one folder), get places far apart (multiplication by the golden ratio; Knuth, The Art of Computer Programming 3, section 6.4).
constexpr std::uint64_t spread(std::uint64_t number, std::uint64_t device) {
  return (number ^ device << 32U) * UINT64_C(0x9e3779b97f4a7c15);
}

}  // namespace discnice::predictor
