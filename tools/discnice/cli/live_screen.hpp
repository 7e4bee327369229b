// SPDX-License-Identifier: MIT
// live_screen: what `discnice top` shows on a terminal, as lines of text: which word stands where, for any width and height.
//
// Each job has a line of figures and, where there is room, below each figure its history: a bar a look, the newest at the right. A job's bars of reading and
// writing have one scale, so that they can be compared: a full one is its limit, or the most it was seen to move. The others at a disk stand in the same columns.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "tools/discnice/cli/job_looks.hpp"

namespace discnice::cli {

enum class Style : std::uint8_t { plain, bold, dim, alarm, chosen };

/// A word or more, from a column of the screen on. Neighbours in a line do not overlap, and none reaches past the width.
struct Span {
  int column;
  std::string text;
  Style style;
};
using ScreenLine = std::vector<Span>;

/// So many looks are kept: what the widest bars show.
inline constexpr std::size_t kHistoryMax = 120;
using History = std::deque<Rates>;

/// What there is to show.
struct Scene {
  Look look;
  std::map<std::uint64_t, History> jobs;   ///< By the job's number.
  std::map<std::uint64_t, History> disks;  ///< Of the others, by the disk's number.
  std::size_t chosen = 0;                  ///< Index into look.jobs.
  bool has_processes = false;              ///< A line for each process as well.
  bool is_utf8 = true;                     ///< Bars may be block elements.
  std::string clock;                       ///< The time of day.
  std::string message;                     ///< The last line but one: what became of a key.
  std::string question;                    ///< The last line, instead of the keys.
};

/// Takes a look into the histories, and lets go of those of jobs and disks that are gone. The same job stays chosen.
void take_look(Scene& scene, Look look);

/// The lines of the screen, at most `height` of at most `width` columns. The job that is chosen is among them.
std::vector<ScreenLine> compose(const Scene& scene, int width, int height);

/// `text` in exactly `width` columns of a terminal: cut or filled up. Of the locale's encoding; what a terminal could take for a command is escaped.
std::string fitted(const std::string& text, int width);

/// The last `width` shares (0 to 1) as bars: eighths of a block, or signs of ASCII. Where there is no look yet, a blank.
std::string bars(const std::vector<double>& shares, int width, bool is_utf8);

}  // namespace discnice::cli
