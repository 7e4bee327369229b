// SPDX-License-Identifier: MIT
// chart: a picture over two axes: lines, steps, or areas that stand on one another. Lines and areas are stretched to the reader's screen; the text beside them keeps its size.
// Colours come from the page's style.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "toolbox/html/axis.hpp"

namespace gray::html {

struct Point {
  double x;
  double y;
};

struct Series {
  std::string name;
  std::vector<Point> points;  ///< Ascending by x.
};

/// A dashed line with its name in the list of colours. It is vertical at a value of x, or horizontal at a value of y.
struct Mark {
  enum class Along { x, y };
  Along along;
  double value;
  std::string name;
};

enum class Shape {
  line,   ///< through the points, which are shown
  path,   ///< through the points
  steps,  ///< each y holds from its x until that of the next point; the last one ends it. The series stand on one another
};

struct Chart {
  std::string title;  ///< for who cannot see it
  Shape shape = Shape::line;
  Quantity x = Quantity::count;
  Quantity y = Quantity::count;
  bool is_x_log = false;
  bool is_y_log = false;
  std::vector<Series> series;  ///< two at the most: so many colours there are
  std::vector<Mark> marks = {};
};

/// A <figure>. Empty if there is nothing to draw. Pure.
std::string draw(const Chart& chart);

}  // namespace gray::html
