// SPDX-License-Identifier: MIT
// residency_oracle: the interface by which the cache model asks which pages of a file are in the page cache.
//
// The models are pure. Their caller supplies the answers: the preload library takes them from the running kernel, and a unit test from a list of
// pages. There are two kinds of oracle. An exact oracle counts (the kernel's own answer). A probing oracle can only look at one page at a time, by a
// read that brings the page in on a miss.
#pragma once

#include <cstdint>

namespace discnice::predictor {

enum class Answer : std::uint8_t { hit, miss, unknown };

struct ResidencyOracle {
  void* context = nullptr;
  /// How many of the pages [first_page, first_page + page_count) are resident. Null for a probing oracle.
  std::uint64_t (*count_resident)(void* context, std::uint64_t first_page,
                                  std::uint64_t page_count) = nullptr;
  /// Whether this page is resident. A miss may cost one page of disk I/O. Null when nothing can be learned.
  Answer (*probe)(void* context, std::uint64_t page) = nullptr;

  /// Called for each range that the operation will bring in, before any further question. Null when there is no listener.
  void (*note_fetch)(void* context, std::uint64_t first_page, std::uint64_t page_count) = nullptr;

  [[nodiscard]] bool is_exact() const { return count_resident != nullptr; }
};

}  // namespace discnice::predictor
