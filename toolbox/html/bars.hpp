// SPDX-License-Identifier: MIT
// bars: a list with a bar below each name, whose parts are coloured stretches.
#pragma once

#include <string>
#include <vector>

namespace gray::html {

/// A part of a bar, in coordinates from 0, the left end, to 1.
struct Stretch {
  double from;
  double to;
  const char* colour;  ///< A class of the style: s0, s1, mark, lost, grid.
  double opacity = 1;
};

/// One element of a list. `name` and `more` are ready HTML; `value` is plain text.
struct BarRow {
  std::string name;
  std::string value;
  std::vector<Stretch> stretches;
  std::string more = {};  ///< A small line below.
};

/// A single bar. Pure.
std::string bar(const std::vector<Stretch>& stretches, bool is_tall = false);

/// Pure.
std::string bar_list(const std::vector<BarRow>& rows);

/// A list that explains the colours of the bars. Pure.
struct Key {
  const char* colour;
  std::string name;
};
std::string keys(const std::vector<Key>& list);

}  // namespace gray::html
