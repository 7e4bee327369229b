// SPDX-License-Identifier: MIT
#include "toolbox/html/bars.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "toolbox/html/document.hpp"

namespace gray::html {
namespace {

constexpr double kLength = 1000;
// A stretch is at least this wide, so that even a short stretch is visible.
constexpr double kWidthMin = 1;

std::string opacity_of(const Stretch& stretch) {
  return stretch.opacity < 1 ? fmt::format(R"( opacity="{:.2f}")", stretch.opacity) : "";
}

}  // namespace

std::string bar(const std::vector<Stretch>& stretches, bool is_tall) {
  std::string text =
      fmt::format(R"(<svg class="bar{}" viewBox="0 0 {} 1" preserveAspectRatio="none" aria-hidden="true">)",
                  is_tall ? " tall" : "", kLength);
  for (const Stretch& stretch : stretches) {
    const double width = std::max(kLength * (stretch.to - stretch.from), kWidthMin);
    const double from = std::min(kLength * stretch.from, kLength - width);
    text += fmt::format(R"(<rect class="{}" x="{:.1f}" y="0" width="{:.1f}" height="1"{}/>)", stretch.colour,
                        from, width, opacity_of(stretch));
  }
  return text + "</svg>";
}

std::string bar_list(const std::vector<BarRow>& rows) {
  std::string text = "<ul class=\"bars\">\n";
  for (const BarRow& row : rows) {
    text += fmt::format("<li><span>{}</span><span class=\"value\">{}</span>{}", row.name, escape(row.value),
                        bar(row.stretches));
    if (!row.more.empty()) text += fmt::format("<span class=\"more\">{}</span>", row.more);
    text += "</li>\n";
  }
  return text + "</ul>\n";
}

std::string keys(const std::vector<Key>& list) {
  std::string text;
  for (const Key& key : list)
    text += fmt::format("<span class=\"{}\">{}</span>", key.colour, escape(key.name));
  return "<p class=\"keys\">" + text + "</p>\n";
}

}  // namespace gray::html
