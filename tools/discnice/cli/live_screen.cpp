// SPDX-License-Identifier: MIT
#include "tools/discnice/cli/live_screen.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cwchar>

#include "toolbox/cli/diagnostics.hpp"
#include "toolbox/cli/quantities.hpp"
#include "tools/discnice/cli/limit_options.hpp"

namespace discnice::cli {
namespace {

constexpr int kMarkWidth = 2;
constexpr int kNumberWidth = 8;  // pids have at most seven digits
constexpr int kNameWidthMin = 16;
constexpr int kFigureWidthMin = 11;  // "1023 MiB/s " and the headings
constexpr int kFigureWidthMax = 60;
constexpr int kFigures = 3;
constexpr int kHistoryWidthMin = 70;  // the narrowest screen that has bars

// The places of the columns on a screen.
struct Grid {
  explicit Grid(int width) {
    const int rest = width - kMarkWidth - kNumberWidth - 1;
    const int wanted = (rest - std::max(kNameWidthMin, rest * 9 / 20)) / kFigures - 1;
    figure_width = std::clamp(wanted, kFigureWidthMin - 1, kFigureWidthMax);
    name_width = std::max(0, rest - kFigures * (figure_width + 1));
    has_bars = width >= kHistoryWidthMin;
  }
  [[nodiscard]] int name_column() const { return kMarkWidth + kNumberWidth + 1; }
  [[nodiscard]] int figure_column(int place) const {
    return name_column() + name_width + 1 + place * (figure_width + 1);
  }

  int figure_width;
  int name_width;
  bool has_bars;
};

// Returns as much of the text as fits into `width` columns of a terminal. `used` receives the number of columns that this takes.
std::string cut_to(const std::string& text, int width, int* used = nullptr) {
  std::size_t end = 0;
  int columns = 0;
  std::mbstate_t state{};
  while (end < text.size()) {
    wchar_t sign = 0;
    const std::size_t bytes = std::mbrtowc(&sign, text.data() + end, text.size() - end, &state);
    if (bytes == 0 || bytes > text.size() - end) break;
    const int sign_columns = wcwidth(sign);
    if (sign_columns < 0 || columns + sign_columns > width) break;
    end += bytes;
    columns += sign_columns;
  }
  if (used != nullptr) *used = columns;
  return text.substr(0, end);
}

std::string to_the_right(const std::string& text, int width) {
  const int blanks = width - static_cast<int>(text.size());  // figures are ASCII
  return blanks > 0 ? std::string(static_cast<std::size_t>(blanks), ' ') + text : text;
}

std::string percent(double share) {
  return fmt::format("{:.0f} %", 100 * share);
}

std::string counted(std::uint64_t count, const char* one, const char* many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

void add_figures(ScreenLine& line, const Grid& grid, const std::vector<std::string>& figures, Style style) {
  for (int place = 0; place < static_cast<int>(figures.size()); ++place) {
    const std::string figure = to_the_right(figures[static_cast<std::size_t>(place)], grid.figure_width);
    line.push_back({grid.figure_column(place), place + 1 < kFigures ? figure + " " : figure, style});
  }
}

std::vector<double> shares_of(const History& history, double full, double Rates::*figure) {
  std::vector<double> shares;
  shares.reserve(history.size());
  for (const Rates& rates : history) shares.push_back(full > 0 ? rates.*figure / full : 0);
  return shares;
}

double full_bar_of(const History& history, double limit) {
  double full = limit;
  for (const Rates& rates : history) full = std::max({full, rates.read_bytes_per_s, rates.write_bytes_per_s});
  return full;
}

void add_bars(ScreenLine& line, const Grid& grid, const Scene& scene, const History& history, double limit,
              bool has_waiting) {
  const double full = full_bar_of(history, limit);
  const auto add = [&](int place, double most, double Rates::*figure) {
    line.push_back({grid.figure_column(place),
                    bars(shares_of(history, most, figure), grid.figure_width, scene.is_utf8), Style::plain});
  };
  add(0, full, &Rates::read_bytes_per_s);
  add(1, full, &Rates::write_bytes_per_s);
  if (has_waiting) add(2, 1, &Rates::waiting_share);
}

const History& history_of(const std::map<std::uint64_t, History>& histories, std::uint64_t number) {
  static const History kNone;
  const auto found = histories.find(number);
  return found == histories.end() ? kNone : found->second;
}

std::vector<std::string> figures_of(const Rates& rates) {
  return {gray::cli::format_rate(rates.read_bytes_per_s), gray::cli::format_rate(rates.write_bytes_per_s),
          percent(rates.waiting_share)};
}

ScreenLine heading(const Grid& grid) {
  ScreenLine line{{kMarkWidth, to_the_right("JOB", kNumberWidth), Style::bold},
                  {grid.name_column(), fitted("COMMAND", grid.name_width), Style::bold}};
  add_figures(line, grid, {"READ", "WRITE", "WAITING"}, Style::bold);
  return line;
}

// Tells how the job is held. Leaves out parts that do not fit.
std::string manner_of(const JobLook& job, int width) {
  std::string text = disk_limits_text(job.grant);
  std::vector<std::string> parts;
  if (job.others == Others::there) parts.emplace_back("others busy");
  parts.push_back(counted(job.processes, "process", "processes"));
  for (const std::string& part : parts) {
    if (static_cast<int>(text.size() + 2 + part.size()) <= width) text += "; " + part;
  }
  return text;
}

// The rate of received bytes is shown below the rate of reading, and the rate of sent bytes below the rate of writing.
ScreenLine net_line(const JobLook& job, const Grid& grid, Style style) {
  std::string text = net_limits_text(job.grant);
  if (text.empty()) text = "net free";
  const std::string whole = text + ": received, sent";
  if (static_cast<int>(whole.size()) <= grid.name_width) text = whole;
  ScreenLine line{{grid.name_column(), fitted(text, grid.name_width), style}};
  add_figures(line, grid,
              {gray::cli::format_rate(job.net->received_bytes_per_s),
               gray::cli::format_rate(job.net->sent_bytes_per_s)},
              style);
  return line;
}

std::vector<ScreenLine> lines_of(const Scene& scene, const Grid& grid, std::size_t index) {
  const JobLook& job = scene.look.jobs[index];
  const bool is_chosen = index == scene.chosen;
  const Style style = is_chosen ? Style::chosen : Style::plain;
  ScreenLine first{
      {0, (is_chosen ? "> " : "  ") + to_the_right(std::to_string(job.number), kNumberWidth) + " ", style},
      {grid.name_column(), fitted(job.command, grid.name_width) + " ", style}};
  add_figures(first, grid, figures_of(job.rates), style);
  const bool is_paused = (job.grant.flags & kPaused) != 0;
  ScreenLine second{{grid.name_column(), fitted(manner_of(job, grid.name_width), grid.name_width),
                     is_paused ? Style::alarm : Style::dim}};
  if (grid.has_bars)
    add_bars(second, grid, scene, history_of(scene.jobs, job.number),
             static_cast<double>(job.grant.rate_bytes_per_s), true);
  std::vector<ScreenLine> lines{std::move(first), std::move(second)};
  if (job.net) lines.push_back(net_line(job, grid, Style::plain));
  if (job.uncovered != 0) {
    const std::string text = fmt::format("{} without a limit: see discnice report {}",
                                         counted(job.uncovered, "process runs", "processes run"), job.number);
    const int width = grid.figure_column(kFigures) - 1 - grid.name_column();
    lines.push_back({{grid.name_column(), fitted(text, width), Style::alarm}});
  }
  if (!scene.has_processes) return lines;
  for (const ProcessLook& process : job.members) {
    const std::string name = fmt::format("{} {}", process.pid, process.command);
    ScreenLine line{{grid.name_column(), fitted("  " + name, grid.name_width), Style::plain}};
    add_figures(line, grid, figures_of(process.rates), Style::plain);
    lines.push_back(std::move(line));
  }
  return lines;
}

std::vector<ScreenLine> lines_of(const Scene& scene, const Grid& grid, const DiskLook& disk) {
  ScreenLine first{{grid.name_column(), fitted("others at " + disk.name, grid.name_width), Style::plain}};
  std::vector<std::string> figures = figures_of(disk.others);
  figures.pop_back();
  add_figures(first, grid, figures, Style::plain);
  std::vector<ScreenLine> lines{std::move(first)};
  if (!grid.has_bars) return lines;
  lines.emplace_back();
  add_bars(lines.back(), grid, scene, history_of(scene.disks, disk.number), 0, false);
  return lines;
}

ScreenLine title(const Scene& scene, int width) {
  const std::string text = "discnice top: " + counted(scene.look.jobs.size(), "job", "jobs");
  ScreenLine line{{0, fitted(text, std::min<int>(static_cast<int>(text.size()), width)), Style::bold}};
  const int column = width - static_cast<int>(scene.clock.size());
  if (column > static_cast<int>(text.size()) + 1) line.push_back({column, scene.clock, Style::dim});
  return line;
}

// Lists the keys. On a narrow screen the last keys are left out. The text of a key is never cut.
std::string keys_text(int width) {
  const char* const kKeys[] = {"p pause", "r resume",       "s set a rate",
                               "q quit",  "up/down choose", "t processes"};
  std::string text;
  for (const char* key : kKeys) {
    const std::string longer = text + (text.empty() ? "" : "   ") + key;
    if (static_cast<int>(longer.size()) > width) break;
    text = longer;
  }
  return text;
}

// Returns as many of the lines as fit on the screen. The chosen lines, from `first` to `last`, are among them.
std::vector<ScreenLine> window(std::vector<ScreenLine> lines, std::size_t first, std::size_t last,
                               std::size_t room) {
  if (lines.size() <= room) return lines;
  std::size_t from = last > room ? last - room : 0;
  from = std::min(from, first);
  const auto begin = lines.begin() + static_cast<std::ptrdiff_t>(from);
  const std::size_t count = std::min(room, lines.size() - from);
  return {begin, begin + static_cast<std::ptrdiff_t>(count)};
}

// Cuts a line on a screen that is narrower than the columns.
void clip(ScreenLine& line, int width) {
  std::erase_if(line, [width](const Span& span) { return span.column >= width; });
  for (Span& span : line) {
    if (span.column + kFigureWidthMax > width) span.text = cut_to(span.text, width - span.column);
  }
}

}  // namespace

void take_look(Scene& scene, Look look) {
  const std::uint64_t chosen =
      scene.chosen < scene.look.jobs.size() ? scene.look.jobs[scene.chosen].number : 0;
  const auto take = [](std::map<std::uint64_t, History>& histories, const auto& items, const auto& rates_of) {
    std::map<std::uint64_t, History> kept;
    for (const auto& item : items) {
      History& history = kept[item.number] = std::move(histories[item.number]);
      history.push_back(rates_of(item));
      if (history.size() > kHistoryMax) history.pop_front();
    }
    histories = std::move(kept);
  };
  take(scene.jobs, look.jobs, [](const JobLook& job) { return job.rates; });
  take(scene.disks, look.disks, [](const DiskLook& disk) { return disk.others; });
  scene.look = std::move(look);
  const auto same = std::find_if(scene.look.jobs.begin(), scene.look.jobs.end(),
                                 [chosen](const JobLook& job) { return job.number == chosen; });
  if (same != scene.look.jobs.end()) scene.chosen = static_cast<std::size_t>(same - scene.look.jobs.begin());
  if (scene.chosen >= scene.look.jobs.size())
    scene.chosen = scene.look.jobs.empty() ? 0 : scene.look.jobs.size() - 1;
}

std::vector<ScreenLine> compose(const Scene& scene, int width, int height) {
  const Grid grid(width);
  std::vector<ScreenLine> body;
  std::size_t chosen_from = 0;
  std::size_t chosen_to = 0;
  for (std::size_t i = 0; i < scene.look.jobs.size(); ++i) {
    if (i == scene.chosen) chosen_from = body.size();
    for (ScreenLine& line : lines_of(scene, grid, i)) body.push_back(std::move(line));
    if (i == scene.chosen) chosen_to = body.size();
  }
  for (const DiskLook& disk : scene.look.disks) {
    for (ScreenLine& line : lines_of(scene, grid, disk)) body.push_back(std::move(line));
  }
  if (scene.look.jobs.empty())
    body.push_back(
        {{kMarkWidth, fitted("No job is running. Start one: discnice -- COMMAND", width - kMarkWidth),
          Style::plain}});
  constexpr int kFrameLines = 4;  // the title, the heading, the message, the keys
  std::vector<ScreenLine> lines{title(scene, width), heading(grid)};
  const auto room = static_cast<std::size_t>(std::max(1, height - kFrameLines));
  for (ScreenLine& line : window(std::move(body), chosen_from, chosen_to, room))
    lines.push_back(std::move(line));
  while (static_cast<int>(lines.size()) < height - 2) lines.emplace_back();
  lines.push_back({{0, fitted(scene.message, width), Style::alarm}});
  const std::string last = scene.question.empty() ? keys_text(width) : scene.question;
  lines.push_back({{0, fitted(last, width), scene.question.empty() ? Style::dim : Style::bold}});
  if (static_cast<int>(lines.size()) > height) lines.resize(static_cast<std::size_t>(std::max(height, 0)));
  for (ScreenLine& line : lines) clip(line, width);
  return lines;
}

std::string fitted(const std::string& text, int width) {
  int used = 0;
  const std::string cut = cut_to(gray::cli::printable(text), width, &used);
  return cut + std::string(static_cast<std::size_t>(std::max(0, width - used)), ' ');
}

std::string bars(const std::vector<double>& shares, int width, bool is_utf8) {
  static const char* const kBlocks[] = {"\u2581", "\u2582", "\u2583", "\u2584",
                                        "\u2585", "\u2586", "\u2587", "\u2588"};
  static const char* const kSigns[] = {"_", ".", ":", "-", "=", "+", "*", "#"};
  const auto room = static_cast<std::size_t>(std::max(0, width));
  const std::size_t count = std::min(room, shares.size());
  std::string text(room - count, ' ');
  for (std::size_t i = shares.size() - count; i < shares.size(); ++i) {
    // A share of 0 gets the lowest bar. Every larger share gets a higher bar.
    const int height = static_cast<int>(std::ceil(7 * std::clamp(shares[i], 0.0, 1.0)));
    text += is_utf8 ? kBlocks[height] : kSigns[height];
  }
  return text;
}

}  // namespace discnice::cli
