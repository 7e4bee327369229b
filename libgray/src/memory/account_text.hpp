// SPDX-License-Identifier: MIT
// account_text: reads numbers from the kernel's text files. Nothing is guessed: a text that is not a number gives no value.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace gray::memory {

/// No limit. The kernel writes "max" for it in version 2, and a number near 2^63 in version 1.
inline constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();

/// A whole number with nothing but blanks around it. "max", "unlimited" and a number near 2^63 are kUnlimited.
std::optional<std::uint64_t> parse_amount(std::string_view text);

/// The number behind the first word `key` of a line: "inactive_file 4096", "MemFree:   12 kB" (the result is then in kB).
std::optional<std::uint64_t> find_amount(std::string_view text, std::string_view key);

/// Takes the next line from `text`, and shortens `text` by it. False when there is no line.
bool next_line(std::string_view& text, std::string_view& line);

/// Takes the next word from `line`, and shortens `line` by it; empty when there is no word.
std::string_view next_word(std::string_view& line);

}  // namespace gray::memory
