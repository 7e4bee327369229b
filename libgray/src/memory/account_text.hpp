// SPDX-License-Identifier: MIT
// account_text: reads numbers from the kernel's text files. Nothing is guessed: a text that is not a number gives no result.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace gray::memory {

/// The kernel's value for "no limit": "max" in version 2, a number near 2^63 in version 1.
inline constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();

/// Reads a whole number; only blanks may stand around it. "max", "unlimited" and numbers near 2^63 give kUnlimited.
std::optional<std::uint64_t> parse_amount(std::string_view text);

/// The number behind the word `key` at the beginning of a line: "inactive_file 4096", "MemFree:   12 kB" (in kB then).
std::optional<std::uint64_t> find_amount(std::string_view text, std::string_view key);

/// Takes the next line from `text`, which becomes shorter. False if there is none.
bool next_line(std::string_view& text, std::string_view& line);

/// The next word of `line`, which is shortened by it; empty when there is none.
std::string_view next_word(std::string_view& line);

}  // namespace gray::memory
