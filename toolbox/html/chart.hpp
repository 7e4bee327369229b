// SPDX-License-Identifier: MIT
// chart: a picture over two axes, with lines, steps or stacked areas. Only lines and areas are stretched to the reader's screen; text beside them keeps its size. Colours come
// from the page's style.
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

/// A dashed line whose name is in the list of colours: vertical at a value of x, or horizontal at a value of y.
struct Mark {
  enum class Along { x, y };
  Along along;
  double value;
  std::string name;
};

enum class Shape {
  line,   ///< through the points, which are shown
  path,   ///< through the points
  steps,  ///< each y holds from its x to the x of the next point; the last point only ends the line. The series are stacked
};

struct Chart {
  std::string title;  ///< for readers who cannot see the picture
  Shape shape = Shape::line;
  Quantity x = Quantity::count;
  Quantity y = Quantity::count;
  bool is_x_log = false;
  bool is_y_log = false;
  std::vector<Series> series;  ///< two at the most, because there are two colours
  std::vector<Mark> marks = {};
};

/// A <figure>. Empty if there is nothing to draw. Pure.
std::string draw(const Chart& chart);

}  // namespace gray::html
