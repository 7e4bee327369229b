// SPDX-License-Identifier: MIT
// amounts: memory sizes as gb-run is given them, and as it hands them on.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gb_run {

/// Reads "512M" or "80%" (of whole_bytes). Returns an empty text, or a sentence on what is wrong.
std::string read_amount(const std::string& text, std::uint64_t whole_bytes, std::uint64_t& bytes);

/// Puts the grant into a command's words: {} is in KiB with a K behind it, {b} in bytes, {m} in MiB, {n} the number
/// of multiples, each where it is a whole word or the value of an option or a variable. With a `mark`, that alone is replaced, wherever it
/// stands, by what {} would be. Pure.
std::vector<std::string> fill_in(const std::vector<std::string>& words, std::uint64_t bytes,
                                 std::uint64_t multiple_bytes, const std::optional<std::string>& mark);

}  // namespace gb_run
