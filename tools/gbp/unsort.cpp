// SPDX-License-Identifier: MIT
#include "tools/gbp/unsort.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace gbp {
namespace {

using Places = std::unordered_map<std::string_view, std::size_t>;

std::optional<std::size_t> find(const Places& places, std::string_view name) {
  const auto found = places.find(name);
  if (found == places.end()) return std::nullopt;
  return found->second;
}

// The place of the longest name that matches: "a:b" is preferred to "a".
std::optional<std::size_t> place_of(const Places& places, std::string_view line) {
  if (const auto whole = find(places, line)) return whole;
  for (std::size_t end = line.size(); end-- > 1;) {
    if (std::string_view(":- \t").find(line[end]) == std::string_view::npos) continue;
    if (const auto place = find(places, line.substr(0, end))) return place;
  }
  for (std::size_t start = 1; start < line.size(); ++start) {
    if (line[start - 1] != ' ' && line[start - 1] != '*') continue;
    if (const auto place = find(places, line.substr(start))) return place;
  }
  return std::nullopt;
}

}  // namespace

void unsort(std::istream& lines, const Names& names, std::ostream& sorted) {
  Places places;
  for (std::size_t i = 0; i < names.size(); ++i) places.try_emplace(names[i], i);
  struct Line {
    std::size_t place;
    std::string text;
  };
  std::vector<Line> read;
  std::size_t place = 0;
  for (std::string text; std::getline(lines, text);) {
    place = place_of(places, text).value_or(place);
    read.push_back({place, std::move(text)});
  }
  std::stable_sort(read.begin(), read.end(), [](const Line& a, const Line& b) { return a.place < b.place; });
  for (const Line& line : read) sorted << line.text << '\n';
}

}  // namespace gbp
