// SPDX-License-Identifier: MIT
// line_joiner: passes on a file that comes in parts, in any order, so that every line comes out whole, and once.
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

/// A file with a longer line than this is not taken for text.
inline constexpr std::size_t kLineBytesMax = 64 * gray::base::kKiB;

/// Whether this piece of a file looks like text: no NUL, and no line longer than kLineBytesMax.
bool is_text(std::string_view piece);

class LineJoiner {
 public:
  /// Functions that take the lines, and that read a long line again. Both return 0 or a negative errno, and their callers return the same.
  using Write = std::function<int(std::string_view text)>;
  using ReadAgain = std::function<int(std::uint64_t offset, std::uint64_t bytes, const Write& write)>;

  LineJoiner(Write write, ReadAgain read_again)
      : write_(std::move(write)), read_again_(std::move(read_again)) {}

  /// Takes a piece of the file that lies at this offset. Each byte of the file must come once.
  int take(std::uint64_t offset, std::string_view piece);

  /// To be called after the last piece: passes on the last line if it does not end in a newline.
  int finish();

 private:
  struct Held {
    std::uint64_t offset;
    std::uint64_t bytes;
    std::string text;  // empty where it is to be read again
  };
  using Line = std::vector<Held>;  // a part of one, in its order

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
      {0, {}}};                          // by the border behind them; the first line has nothing before it
  std::map<std::uint64_t, Line> heads_;  // by the border before them; they end with a newline
  struct Middle {
    std::uint64_t end;
    Line line;
  };
  std::map<std::uint64_t, Middle> middles_;  // by the border before them: no newline between two borders

  bool has_run_ = false;  // pieces that followed one another
  std::uint64_t run_start_ = 0;
  std::uint64_t run_end_ = 0;
  bool is_head_open_ = false;  // no newline yet, and what is before the run has not come
  Line line_;                  // what has come of the run's last line
};

}  // namespace gbp
