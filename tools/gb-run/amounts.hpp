// SPDX-License-Identifier: MIT
// amounts: sizes of memory, as they are given to gb-run and as gb-run passes them on.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gb_run {

/// Reads "512M" or "80%" (of whole_bytes). Returns an empty text, or a sentence on what is wrong.
std::string read_amount(const std::string& text, std::uint64_t whole_bytes, std::uint64_t& bytes);

/// Puts the grant into the words of a command. {} becomes KiB with a K behind it, {b} bytes, {m} MiB, {n} the number of multiples. A mark is replaced if it is a whole word, or
/// the value of an option or a variable. If a `mark` is given, only this mark is replaced, wherever it stands, by the value of {}. Pure.
std::vector<std::string> fill_in(const std::vector<std::string>& words, std::uint64_t bytes,
                                 std::uint64_t multiple_bytes, const std::optional<std::string>& mark);

}  // namespace gb_run
