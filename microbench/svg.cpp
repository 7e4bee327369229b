// SPDX-License-Identifier: MIT
#include "microbench/svg.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "microbench/quantity.hpp"

namespace microbench {
namespace {

constexpr double kWidth = 640;
constexpr double kHeight = 300;
constexpr double kLeft = 76;
constexpr double kRight = 16;
constexpr double kTop = 28;
constexpr double kBottom = 40;
constexpr int kTicks = 5;
constexpr double kBarWidth = 12;
constexpr double kNameWidth = 110;
// A bar over a logarithmic axis has no natural foot; the least one still shows.
constexpr double kLogBarFoot = 4;

// From data to the picture, along one axis.
struct Axis {
  double low;
  double high;
  double from;
  double to;
  bool is_log;

  [[nodiscard]] double scaled(double value) const {
    return is_log ? std::log2(std::max(value, 1e-12)) : value;
  }
  [[nodiscard]] double place(double value) const {
    const double span = scaled(high) - scaled(low);
    const double share = span > 0 ? (scaled(value) - scaled(low)) / span : 0.5;
    return from + share * (to - from);
  }
  [[nodiscard]] double tick(int i) const {
    const double share = static_cast<double>(i) / kTicks;
    const double value = scaled(low) + share * (scaled(high) - scaled(low));
    return is_log ? std::exp2(value) : value;
  }
};

std::string label(double value, const std::string& unit) {
  if (unit == "count" || unit == "1") return fmt::format("{:.0f}", value);
  if (unit == "1/s") return fmt::format("{:.0f}/s", value);
  return format_quantity(value, unit);
}

Axis axis_of(const Chart& chart, bool is_x) {
  double low = INFINITY;
  double high = 0;
  for (const Series& series : chart.series) {
    for (const Point& point : series.points) {
      low = std::min(low, is_x ? point.x : point.y);
      high = std::max(high, is_x ? point.x : point.y);
    }
  }
  for (const Mark& mark : chart.marks) {
    if (is_x) low = std::min(low, mark.x), high = std::max(high, mark.x);
  }
  const bool is_log = is_x ? chart.is_x_log : chart.is_y_log;
  if (!is_x && !is_log) low = 0;
  const bool has_bars =
      std::any_of(chart.series.begin(), chart.series.end(), [](const Series& s) { return s.is_bars; });
  const double margin = !chart.names.empty() ? kNameWidth / 2 : (has_bars ? kBarWidth : 0);
  if (!is_x && is_log && has_bars) low /= kLogBarFoot;
  if (is_x) return {low, high, kLeft + margin, kWidth - kRight - margin, is_log};
  return {low, high, kHeight - kBottom, kTop, is_log};
}

std::string draw_axes(const Chart& chart, const Axis& x, const Axis& y) {
  std::string text;
  for (int i = 0; i <= kTicks; ++i) {
    const double at_y = y.place(y.tick(i));
    text += fmt::format(R"(<line class="grid" x1="{:.1f}" x2="{:.1f}" y1="{:.1f}" y2="{:.1f}"/>)", kLeft,
                        kWidth - kRight, at_y, at_y);
    text += fmt::format(R"(<text x="{:.1f}" y="{:.1f}" text-anchor="end">{}</text>)", kLeft - 6, at_y + 4,
                        escape_html(label(y.tick(i), chart.y_unit)));
    if (!chart.names.empty()) continue;
    text += fmt::format(R"(<text x="{:.1f}" y="{:.1f}" text-anchor="{}">{}</text>)", x.place(x.tick(i)),
                        kHeight - kBottom + 18, i == 0 ? "start" : (i == kTicks ? "end" : "middle"),
                        escape_html(label(x.tick(i), chart.x_unit)));
  }
  for (std::size_t i = 0; i < chart.names.size(); ++i) {
    text +=
        fmt::format(R"(<text x="{:.1f}" y="{:.1f}" text-anchor="middle">{}</text>)",
                    x.place(static_cast<double>(i + 1)), kHeight - kBottom + 18, escape_html(chart.names[i]));
  }
  return text;
}

std::string draw_bars(const Series& series, const Axis& x, const Axis& y, std::size_t number) {
  std::string text;
  for (const Point& point : series.points) {
    const double top = y.place(point.y);
    text += fmt::format(R"(<rect class="bar s{}" x="{:.1f}" y="{:.1f}" width="{}" height="{:.1f}"/>)", number,
                        x.place(point.x) - (number == 0 ? kBarWidth / 2 : 0), top, kBarWidth / 2,
                        kHeight - kBottom - top);
  }
  return text;
}

std::string draw_line(const Series& series, const Axis& x, const Axis& y, std::size_t number) {
  std::string points;
  std::string dots;
  for (const Point& point : series.points) {
    points += fmt::format("{:.1f},{:.1f} ", x.place(point.x), y.place(point.y));
    dots += fmt::format(R"(<circle class="dot s{}" cx="{:.1f}" cy="{:.1f}" r="3"/>)", number,
                        x.place(point.x), y.place(point.y));
  }
  return fmt::format(R"(<polyline class="curve s{}" points="{}"/>)", number, points) + dots;
}

std::string draw_marks(const Chart& chart, const Axis& x) {
  std::string text;
  for (const Mark& mark : chart.marks) {
    const double at = x.place(mark.x);
    const bool is_right_half = at > kWidth / 2;
    text += fmt::format(R"(<line class="mark" x1="{0:.1f}" x2="{0:.1f}" y1="{1}" y2="{2}"/>)", at, kTop,
                        kHeight - kBottom);
    text += fmt::format(R"(<text class="marked" x="{:.1f}" y="{}" text-anchor="{}">{}</text>)",
                        at + (is_right_half ? -5 : 5), kTop + 12, is_right_half ? "end" : "start",
                        escape_html(mark.name));
  }
  return text;
}

std::string draw_legend(const Chart& chart) {
  std::string text;
  double at = kLeft;
  for (std::size_t i = 0; i < chart.series.size(); ++i) {
    text += fmt::format(
        R"(<rect class="bar s{}" x="{}" y="8" width="10" height="10"/><text x="{}" y="17">{}</text>)", i, at,
        at + 15, escape_html(chart.series[i].name));
    at += 40 + 7 * static_cast<double>(chart.series[i].name.size());
  }
  return text;
}

}  // namespace

std::string escape_html(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    switch (c) {
      case '&':
        safe += "&amp;";
        break;
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '"':
        safe += "&quot;";
        break;
      default:
        safe += c;
    }
  }
  return safe;
}

std::string draw(const Chart& chart) {
  const bool is_empty = std::all_of(chart.series.begin(), chart.series.end(),
                                    [](const Series& series) { return series.points.empty(); });
  if (is_empty) return "";
  const Axis x = axis_of(chart, true);
  const Axis y = axis_of(chart, false);
  std::string text = fmt::format(R"(<svg viewBox="0 0 {} {}" role="img" aria-label="{}">)", kWidth, kHeight,
                                 escape_html(chart.title));
  text += draw_axes(chart, x, y);
  for (std::size_t i = 0; i < chart.series.size(); ++i) {
    text +=
        chart.series[i].is_bars ? draw_bars(chart.series[i], x, y, i) : draw_line(chart.series[i], x, y, i);
  }
  return text + draw_marks(chart, x) + draw_legend(chart) + "</svg>";
}

}  // namespace microbench
