// SPDX-License-Identifier: MIT
// spelling: finds the known word that a misspelt word most likely means.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gray::cli {

/// The known word with the fewest letters inserted, removed or changed. Empty if these are more than a third of the letters.
/// Pure.
std::string closest_word(std::string_view wanted, const std::vector<std::string>& words);

}  // namespace gray::cli
