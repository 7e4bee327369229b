// SPDX-License-Identifier: MIT
#include "toolbox/html/chart.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

#include "toolbox/html/document.hpp"

namespace gray::html {
namespace {

// The side of the picture in its own units; the browser stretches it.
constexpr double kSide = 1000;
// The top of the picture, as a multiple of the highest value.
constexpr double kHeadroom = 1.04;

struct Axes {
  Axis x;
  Axis y;

  [[nodiscard]] double at_x(double value) const { return kSide * x.place(value); }
  [[nodiscard]] double at_y(double value) const { return kSide * (1 - y.place(value)); }
};

void take_in(Axis& axis, double value) {
  axis.low = std::min(axis.low, value);
  axis.high = std::max(axis.high, value);
}

// Series of steps are stacked: the height of each series is added to the heights of those below it.
std::vector<std::vector<double>> heights_of(const Chart& chart) {
  std::vector<std::vector<double>> heights;
  for (const Series& series : chart.series) {
    std::vector<double> own;
    for (std::size_t i = 0; i < series.points.size(); ++i) {
      const bool has_below = chart.shape == Shape::steps && !heights.empty() && i < heights.back().size();
      own.push_back(series.points[i].y + (has_below ? heights.back()[i] : 0));
    }
    heights.push_back(std::move(own));
  }
  return heights;
}

Axes axes_of(const Chart& chart, const std::vector<std::vector<double>>& heights) {
  Axes axes{{chart.x, chart.is_x_log, INFINITY, -INFINITY}, {chart.y, chart.is_y_log, INFINITY, -INFINITY}};
  for (std::size_t s = 0; s < heights.size(); ++s) {
    for (std::size_t i = 0; i < heights[s].size(); ++i) {
      take_in(axes.x, chart.series[s].points[i].x);
      take_in(axes.y, heights[s][i]);
    }
  }
  for (const Mark& mark : chart.marks) take_in(mark.along == Mark::Along::x ? axes.x : axes.y, mark.value);
  if (!chart.is_y_log) axes.y.low = std::min(axes.y.low, 0.0);
  if (!chart.is_y_log && axes.y.high <= 0) axes.y.high = 1;
  axes.y.high *= kHeadroom;
  return axes;
}

std::string line(double x1, double y1, double x2, double y2, const char* kind) {
  return fmt::format(R"(<line class="{}" x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}"/>)", kind, x1, y1,
                     x2, y2);
}

std::string draw_line(const Series& series, const Axes& axes, std::size_t number, bool has_dots) {
  std::string points;
  std::string dots;
  for (const Point& point : series.points) {
    points += fmt::format("{:.1f},{:.1f} ", axes.at_x(point.x), axes.at_y(point.y));
    dots += fmt::format("M{:.1f} {:.1f}h0", axes.at_x(point.x), axes.at_y(point.y));
  }
  std::string text = fmt::format(R"(<polyline class="s{}" points="{}"/>)", number, points);
  if (has_dots) text += fmt::format(R"(<path class="dots s{}" d="{}"/>)", number, dots);
  return text;
}

// The outline goes along the top of the series, and back along the top of the series below.
std::string draw_steps(const Series& series, const std::vector<double>& top, const std::vector<double>* below,
                       const Axes& axes, std::size_t number) {
  std::string there;
  std::string back;
  for (std::size_t i = 0; i + 1 < series.points.size(); ++i) {
    const double x1 = axes.at_x(series.points[i].x);
    const double x2 = axes.at_x(series.points[i + 1].x);
    const double foot = axes.at_y(below != nullptr && i < below->size() ? (*below)[i] : 0);
    there += fmt::format("{}{:.1f} {:.1f}H{:.1f}", i == 0 ? "M" : "L", x1, axes.at_y(top[i]), x2);
    back.insert(0, fmt::format("L{:.1f} {:.1f}H{:.1f}", x2, foot, x1));
  }
  return fmt::format(R"(<path class="area s{}" d="{}{}Z"/>)", number, there, back);
}

std::string draw_keys(const Chart& chart) {
  std::string text;
  for (std::size_t i = 0; i < chart.series.size(); ++i) {
    if (chart.series[i].points.empty()) continue;
    text += fmt::format("<span class=\"s{}\">{}</span>", i, escape(chart.series[i].name));
  }
  for (const Mark& mark : chart.marks)
    text += fmt::format("<span class=\"line mark\">{}</span>", escape(mark.name));
  return "<figcaption class=\"keys\">" + text + "</figcaption>";
}

// Every second label is left out where there is no room for all.
std::string draw_labels(const Axes& axes) {
  std::string text;
  for (const double value : round_values(axes.y))
    text += fmt::format(R"(<span class="y" style="bottom:{:.2f}%">{}</span>)", 100 * axes.y.place(value),
                        escape(label(value, axes.y.quantity)));
  const char* second = "";
  for (const double value : round_values(axes.x)) {
    text += fmt::format(R"(<span class="x{}" style="left:{:.2f}%">{}</span>)", second,
                        100 * axes.x.place(value), escape(label(value, axes.x.quantity)));
    second = *second == '\0' ? " second" : "";
  }
  return text;
}

std::string draw_inside(const Chart& chart, const std::vector<std::vector<double>>& heights,
                        const Axes& axes) {
  std::string text;
  for (const double value : round_values(axes.y))
    text += line(0, axes.at_y(value), kSide, axes.at_y(value), "grid");
  for (std::size_t i = 0; i < chart.series.size(); ++i) {
    if (chart.series[i].points.empty()) continue;
    if (chart.shape == Shape::steps) {
      text += draw_steps(chart.series[i], heights[i], i == 0 ? nullptr : &heights[i - 1], axes, i);
    } else {
      text += draw_line(chart.series[i], axes, i, chart.shape == Shape::line);
    }
  }
  for (const Mark& mark : chart.marks) {
    text += mark.along == Mark::Along::x
                ? line(axes.at_x(mark.value), 0, axes.at_x(mark.value), kSide, "mark")
                : line(0, axes.at_y(mark.value), kSide, axes.at_y(mark.value), "mark");
  }
  return text;
}

}  // namespace

std::string draw(const Chart& chart) {
  const bool is_empty = std::all_of(chart.series.begin(), chart.series.end(),
                                    [](const Series& series) { return series.points.empty(); });
  if (is_empty) return "";
  const auto heights = heights_of(chart);
  const Axes axes = axes_of(chart, heights);
  return fmt::format(
      "<figure>{}<div class=\"plot\"><svg viewBox=\"0 0 {} {}\" preserveAspectRatio=\"none\" role=\"img\" "
      "aria-label=\"{}\">{}</svg>{}</div></figure>\n",
      draw_keys(chart), kSide, kSide, escape(chart.title), draw_inside(chart, heights, axes),
      draw_labels(axes));
}

}  // namespace gray::html
