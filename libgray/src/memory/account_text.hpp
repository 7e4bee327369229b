// SPDX-License-Identifier: MIT
// account_text: picks numbers out of the kernel's text files. Nothing is guessed: what is not a number there is
// nothing here.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace gray::memory {

/// What the kernel means by no limit: "max" in version 2, a number near 2^63 in version 1.
inline constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();

/// A whole number, alone but for blanks around it. "max", "unlimited" and what is near 2^63 are kUnlimited.
std::optional<std::uint64_t> parse_amount(std::string_view text);

/// The number behind the first word `key` of a line: "inactive_file 4096", "MemFree:   12 kB" (in kB then).
std::optional<std::uint64_t> find_amount(std::string_view text, std::string_view key);

/// The next line of `text`, which is shortened by it. False when there is none.
bool next_line(std::string_view& text, std::string_view& line);

/// The next word of `line`, which is shortened by it; empty when there is none.
std::string_view next_word(std::string_view& line);

}  // namespace gray::memory
