// SPDX-License-Identifier: MIT
// spelling: which of some words was meant by one that is none of them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gray::cli {

/// The word that takes the fewest letters put in, taken out or changed; empty where a third of the letters or more would be wrong. Pure.
std::string closest_word(std::string_view wanted, const std::vector<std::string>& words);

}  // namespace gray::cli
