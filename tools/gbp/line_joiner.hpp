// SPDX-License-Identifier: MIT
// line_joiner: passes on a file whose parts come in any order, so that every line is written whole and once.
//
// A border between two parts may cut a line. The piece on one side of the border is held until the part on the other side has come. So nothing is read earlier
// than its part. At most one line is held for each border whose other side is still to come. For a long line only its place in the file is held. The line is read once more when
// it is passed on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "toolbox/base/units.hpp"

namespace gbp {

/// A file with a longer line than this does not count as text.
inline constexpr std::size_t kLineBytesMax = 64 * gray::base::kKiB;

/// Whether this piece of a file looks like text: no NUL, and no line longer than kLineBytesMax.
bool is_text(std::string_view piece);

class LineJoiner {
 public:
  /// Write writes the lines; ReadAgain reads a long line again. Both return 0 or a negative errno, and so do the functions that call them.
  using Write = std::function<int(std::string_view text)>;
  using ReadAgain = std::function<int(std::uint64_t offset, std::uint64_t bytes, const Write& write)>;

  LineJoiner(Write write, ReadAgain read_again)
      : write_(std::move(write)), read_again_(std::move(read_again)) {}

  /// Takes a piece of the file at this offset. Each byte of the file must be given once.
  int take(std::uint64_t offset, std::string_view piece);

  /// Call this after the last piece. Passes on the last line if no newline ends it.
  int finish();

 private:
  struct Held {
    std::uint64_t offset;
    std::uint64_t bytes;
    std::string text;  // empty if the text is to be read again
  };
  using Line = std::vector<Held>;  // the pieces of a part of a line, in order

  static void hold(Line& line, std::uint64_t offset, std::string_view text);
  static void append(Line& line, Line&& more);
  int pass_on(Line& line);
  void begin_run(std::uint64_t offset);
  int end_run();
  int join_behind(std::uint64_t border, Line tail);
  int join_before(std::uint64_t border, Line head);

  Write write_;
  ReadAgain read_again_;
  std::map<std::uint64_t, Line> tails_{
      {0, {}}};  // starts of lines, by the border behind them; the first line begins at 0
  std::map<std::uint64_t, Line> heads_;  // ends of lines, by the border before them; they end with a newline
  struct Middle {
    std::uint64_t end;
    Line line;
  };
  // The parts that have no newline. The key is the border before these parts.
  std::map<std::uint64_t, Middle> middles_;

  bool has_run_ = false;  // a run is a row of pieces that follow one another in the file
  std::uint64_t run_start_ = 0;
  std::uint64_t run_end_ = 0;
  bool is_head_open_ = false;  // the run has no newline yet, and the text before the run has not come
  Line line_;                  // the part of the run's last line that has come
};

}  // namespace gbp
