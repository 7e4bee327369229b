// SPDX-License-Identifier: MIT
// svg: one picture: lines or bars over two axes, drawn as text that stands in a page. Colours come from the page's style.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace microbench {

struct Point {
  double x;
  double y;
};

struct Series {
  std::string name;
  std::vector<Point> points;  ///< Ascending by x.
  bool is_bars = false;
};

/// A vertical line at x with a word beside it.
struct Mark {
  double x;
  std::string name;
};

struct Chart {
  std::string title;
  std::string x_unit;  ///< As in the repository; labels are formatted by it.
  std::string y_unit;
  bool is_x_log = false;
  bool is_y_log = false;
  std::vector<Series> series;
  std::vector<Mark> marks;
  std::vector<std::string> names =
      {};  ///< Of x = 1, 2 and so on; they stand below the axis instead of numbers.
};

/// An <svg> element; empty if there is nothing to draw. Pure.
std::string draw(const Chart& chart);

/// `text` as it may stand in HTML. Pure.
std::string escape_html(std::string_view text);

}  // namespace microbench
