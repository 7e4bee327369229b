// SPDX-License-Identifier: MIT
#include "tools/gb-grep/held_output.hpp"

#include <cstring>
#include <utility>

#include <unistd.h>

namespace gb_grep {

HeldOutput::HeldOutput(Wording wording)
    : wording_(std::move(wording)), out_(make_temporary_file(temporary_folder())), err_(make_memory_file()) {}

// Within a run, a group after another match begins with the separator.
bool HeldOutput::take_separator(Piece& piece) const {
  const std::uint64_t length = wording_.separator.size();
  if (piece.out_end - piece.out_begin <= length ||
      out_.text(piece.out_begin, piece.out_begin + length) != wording_.separator)
    return false;
  piece.out_begin += length;
  return true;
}

// In the message, standard input has another name than "-".
bool HeldOutput::is_no_text(const std::string& text, const char* name) const {
  if (wording_.binary_behind.empty() || !text.ends_with(wording_.binary_behind)) return false;
  if (std::strcmp(name, "-") == 0) return text.starts_with(wording_.binary_before);
  return text.ends_with(wording_.binary_before + name + wording_.binary_behind);
}

// If groups are separated by lines, a piece is the output for one file. The message that a binary file matches counts as
// a match, but not as a group.
void HeldOutput::add(std::uint32_t turn, Piece piece, const char* name) {
  if (!wording_.separator.empty()) {
    const std::uint64_t length_max =
        wording_.binary_before.size() + std::strlen(name) + wording_.binary_behind.size();
    const std::uint64_t out_bytes = piece.out_end - piece.out_begin;
    const bool is_no_text_out =
        out_bytes <= length_max && is_no_text(out_.text(piece.out_begin, piece.out_end), name);
    piece.has_groups = has_run_matches_ ? take_separator(piece) : out_bytes > 0 && !is_no_text_out;
    piece.has_matches =
        piece.has_groups || is_no_text_out || is_no_text(err_.text(piece.err_begin, piece.err_end), name);
    has_run_matches_ = has_run_matches_ || piece.has_matches;
  }
  pieces_.emplace(turn, piece);
}

int HeldOutput::write(const Piece& piece) {
  int error = err_.copy(piece.err_begin, piece.err_end, STDERR_FILENO);
  if (error == 0 && piece.has_groups && has_matches_)
    error = write_all(STDOUT_FILENO, wording_.separator.data(), wording_.separator.size());
  has_matches_ = has_matches_ || piece.has_matches;
  return error != 0 ? error : out_.copy(piece.out_begin, piece.out_end, STDOUT_FILENO);
}

int HeldOutput::write_due() {
  for (auto next = pieces_.begin(); next != pieces_.end() && next->first == turn_;
       next = pieces_.erase(next)) {
    if (const int error = write(next->second); error != 0) return error;
    turn_ = next->second.next_turn;
  }
  if (pieces_.empty()) {
    out_.clear();
    err_.clear();
  }
  return 0;
}

}  // namespace gb_grep
