// SPDX-License-Identifier: MIT
// live_screen: makes the screen of `discnice top` as lines of text: it places each word, for any width and height.
//
// Each job has a line of figures. If there is room, the history of each figure is below the figure, with one bar for each sample and the newest bar
// at the right. The bars of reading and writing of one job have the same scale, so that they can be compared: a full bar is the job's limit, or the
// highest observed rate if this rate is higher. The figures of the other users of a disk stand in the same columns.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "tools/discnice/cli/job_looks.hpp"

namespace discnice::cli {

enum class Style : std::uint8_t { plain, bold, dim, alarm, chosen };

/// One or more words, from a column of the screen on. The spans of a line do not overlap, and none reaches past the width.
struct Span {
  int column;
  std::string text;
  Style style;
};
using ScreenLine = std::vector<Span>;

/// The number of samples that are kept. The widest bars show this number of samples.
inline constexpr std::size_t kHistoryMax = 120;
using History = std::deque<Rates>;

/// Everything that the screen shows.
struct Scene {
  Look look;
  std::map<std::uint64_t, History> jobs;   ///< By the job's number.
  std::map<std::uint64_t, History> disks;  ///< The rates of the disk's other users, by the disk's number.
  std::size_t chosen = 0;                  ///< Index into look.jobs.
  bool has_processes = false;              ///< Each process has a line as well.
  bool is_utf8 = true;                     ///< Bars may be block elements.
  std::string clock;                       ///< The time of day.
  std::string message;                     ///< The last line but one: what a key has done.
  /// The last line while a question is asked. Without a question, the last line lists the keys.
  std::string question;
};

/// Adds a sample to the histories. Removes the histories of jobs and disks that are gone. The same job stays chosen.
void take_look(Scene& scene, Look look);

/// Returns the lines of the screen: at most `height` lines of at most `width` columns. The chosen job is among them.
std::vector<ScreenLine> compose(const Scene& scene, int width, int height);

/// Cuts or fills up `text` to exactly `width` columns of a terminal. The text is in the encoding of the locale. Characters that a terminal could take
/// for a command are escaped.
std::string fitted(const std::string& text, int width);

/// Draws the last `width` shares (0 to 1) as bars, in eighths of a block or in ASCII signs. A column without a sample is blank.
std::string bars(const std::vector<double>& shares, int width, bool is_utf8);

}  // namespace discnice::cli
