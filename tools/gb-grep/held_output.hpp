// SPDX-License-Identifier: MIT
// held_output: holds grep's output for each file until the file's turn, and puts separator lines between groups where a single grep would put them.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "tools/gb-grep/spool.hpp"

namespace gb_grep {

/// grep's separator between groups of lines, and its message about binary files, learned from runs of grep.
struct Wording {
  std::string separator;  // empty: there is no separator
  std::string
      binary_before;  // the text before and behind the name of a binary file that matches; on stdout or stderr
  std::string binary_behind;
};

/// The output for some successive files, as places in the spools.
struct Piece {
  std::uint32_t next_turn = 0;  // the turn after those files
  std::uint64_t out_begin = 0;
  std::uint64_t out_end = 0;
  std::uint64_t err_begin = 0;
  std::uint64_t err_end = 0;
  bool has_groups = false;  // a separator line goes before the piece if groups come before it
  bool has_matches = false;
};

class HeldOutput {
 public:
  explicit HeldOutput(Wording wording);

  [[nodiscard]] bool is_ready() const { return out_.fd() >= 0 && err_.fd() >= 0; }
  [[nodiscard]] const Spool& out() const { return out_; }
  [[nodiscard]] const Spool& err() const { return err_; }

  /// Call this when a run of grep begins.
  void begin_run() { has_run_matches_ = false; }

  /// Adds a piece. The pieces of a run must be added in the order in which they were printed. `turn` says when the piece is written; `name` is the name of its
  /// first file.
  void add(std::uint32_t turn, Piece piece, const char* name);

  /// Writes all pieces whose turn has come; 0 or a negative errno.
  [[nodiscard]] int write_due();

 private:
  bool take_separator(Piece& piece) const;
  [[nodiscard]] bool is_no_text(const std::string& text, const char* name) const;
  [[nodiscard]] int write(const Piece& piece);

  Wording wording_;
  Spool out_;
  // A file for messages, which are short. It has its own space if the file for the output is full.
  Spool err_;
  std::map<std::uint32_t, Piece> pieces_;  // by turn
  std::uint32_t turn_ = 0;
  bool has_run_matches_ = false;
  bool has_matches_ = false;  // whether the written output has matches
};

}  // namespace gb_grep
