// SPDX-License-Identifier: MIT
// spelling: guesses which of the known words a person meant by a wrong word.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gray::cli {

/// The known word that differs by the fewest inserted, removed or changed letters. Empty if a third of the letters or more would be wrong. Pure.
std::string closest_word(std::string_view wanted, const std::vector<std::string>& words);

}  // namespace gray::cli
