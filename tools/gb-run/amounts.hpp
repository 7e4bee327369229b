// SPDX-License-Identifier: MIT
// amounts: reads the memory sizes of gb-run's command line, and puts the granted size into the command.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gb_run {

/// Reads "512M" or "80%" (of whole_bytes). Returns an empty text, or a sentence that says what is wrong.
std::string read_amount(const std::string& text, std::uint64_t whole_bytes, std::uint64_t& bytes);

/// Puts the grant into a command's words: {} becomes the size in KiB with a K behind it, {b} the size in bytes, {m} in MiB, and {n} the number of multiples. Each is replaced
/// only if it is a whole word, or the value of an option or a variable. With a `mark`, only the mark is replaced, at every place, by the text for {}. Pure.
std::vector<std::string> fill_in(const std::vector<std::string>& words, std::uint64_t bytes,
                                 std::uint64_t multiple_bytes, const std::optional<std::string>& mark);

}  // namespace gb_run
