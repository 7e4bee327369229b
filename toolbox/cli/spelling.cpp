// SPDX-License-Identifier: MIT
#include "toolbox/cli/spelling.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace gray::cli {
namespace {

// How many letters must be put in, taken out or changed to make one word of the other.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t changed = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({changed, diagonal + 1, row[j] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string closest_word(std::string_view wanted, const std::vector<std::string>& words) {
  // In a word of one or two letters no letter may be wrong: any other word would be as close.
  std::size_t least = wanted.size() / 3 + 1;
  std::string closest;
  for (const std::string& word : words) {
    const std::size_t found = distance(wanted, word);
    if (found >= least) continue;
    least = found;
    closest = word;
  }
  return closest;
}

}  // namespace gray::cli
