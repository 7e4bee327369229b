// SPDX-License-Identifier: MIT
// held_output: holds the output and the messages of grep for each file until the file's turn, and adds the lines between groups that a single grep would print.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "tools/gb-grep/spool.hpp"

namespace gb_grep {

/// The lines that grep prints between groups and the message for files that are not text, learned from grep itself.
struct Wording {
  std::string separator;  // empty: nothing is between groups
  std::string
      binary_before;  // before the name, and behind it, of a file that is no text and matches; on stdout or stderr
  std::string binary_behind;
};

/// The output and messages of some files in a row, as places in the spools.
struct Piece {
  std::uint32_t next_turn = 0;  // the turn after theirs
  std::uint64_t out_begin = 0;
  std::uint64_t out_end = 0;
  std::uint64_t err_begin = 0;
  std::uint64_t err_end = 0;
  bool has_groups = false;  // and whoever comes before them puts a line between
  bool has_matches = false;
};

class HeldOutput {
 public:
  explicit HeldOutput(Wording wording);

  [[nodiscard]] bool is_ready() const { return out_.fd() >= 0 && err_.fd() >= 0; }
  [[nodiscard]] const Spool& out() const { return out_; }
  [[nodiscard]] const Spool& err() const { return err_; }

  /// To be called when a run of grep begins: nothing has matched in it yet.
  void begin_run() { has_run_matches_ = false; }

  /// The pieces of a run come in the order in which they were printed. `turn` says when the piece must be written; `name` is the name of its first file.
  void add(std::uint32_t turn, Piece piece, const char* name);

  /// Writes all pieces whose turn has come. Returns 0 or a negative errno.
  [[nodiscard]] int write_due();

 private:
  bool take_separator(Piece& piece) const;
  [[nodiscard]] bool is_no_text(const std::string& text, const char* name) const;
  [[nodiscard]] int write(const Piece& piece);

  Wording wording_;
  Spool out_;
  Spool err_;                              // little, and all there is where the other one is full
  std::map<std::uint32_t, Piece> pieces_;  // by turn
  std::uint32_t turn_ = 0;
  bool has_run_matches_ = false;
  bool has_matches_ = false;  // in what was written
};

}  // namespace gb_grep
