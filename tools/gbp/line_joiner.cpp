// SPDX-License-Identifier: MIT
#include "tools/gbp/line_joiner.hpp"

#include <iterator>
#include <utility>

namespace gbp {

bool is_text(std::string_view piece) {
  if (piece.find('\0') != std::string_view::npos) return false;
  std::size_t start = 0;
  while (piece.size() - start > kLineBytesMax) {
    const std::size_t newline = piece.substr(start, kLineBytesMax).rfind('\n');
    if (newline == std::string_view::npos) return false;
    start += newline + 1;
  }
  return true;
}

int LineJoiner::take(std::uint64_t offset, std::string_view piece) {
  if (piece.empty()) return 0;
  if (has_run_ && offset != run_end_)
    if (const int error = end_run(); error != 0) return error;
  if (!has_run_) begin_run(offset);
  run_end_ = offset + piece.size();
  std::size_t done = 0;
  const std::size_t last = piece.rfind('\n');
  if (last == std::string_view::npos) {
    hold(line_, offset, piece);
    return 0;
  }
  if (is_head_open_) {
    done = piece.find('\n') + 1;
    hold(line_, offset, piece.substr(0, done));
    is_head_open_ = false;
    if (const int error = join_before(run_start_, std::exchange(line_, {})); error != 0) return error;
  }
  if (const int error = pass_on(line_); error != 0) return error;
  if (last + 1 > done)
    if (const int error = write_(piece.substr(done, last + 1 - done)); error != 0) return error;
  if (last + 1 < piece.size()) hold(line_, offset + last + 1, piece.substr(last + 1));
  return 0;
}

int LineJoiner::finish() {
  if (has_run_)
    if (const int error = end_run(); error != 0) return error;
  for (auto& [border, line] : tails_)
    if (const int error = pass_on(line); error != 0) return error;
  return 0;
}

void LineJoiner::hold(Line& line, std::uint64_t offset, std::string_view text) {
  line.push_back({offset, text.size(), text.size() <= kLineBytesMax ? std::string(text) : std::string()});
}

void LineJoiner::append(Line& line, Line&& more) {
  line.insert(line.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

int LineJoiner::pass_on(Line& line) {
  for (const Held& held : line) {
    const int error = held.text.empty() ? read_again_(held.offset, held.bytes, write_)
                                        : write_(std::string_view(held.text));
    if (error != 0) return error;
  }
  line.clear();
  return 0;
}

void LineJoiner::begin_run(std::uint64_t offset) {
  has_run_ = true;
  run_start_ = offset;
  const auto tail = tails_.find(offset);
  is_head_open_ = tail == tails_.end();
  if (is_head_open_) return;
  line_ = std::move(tail->second);
  tails_.erase(tail);
}

int LineJoiner::end_run() {
  has_run_ = false;
  Line line = std::exchange(line_, {});
  if (!is_head_open_) return join_behind(run_end_, std::move(line));
  const auto head = heads_.find(run_end_);
  if (head == heads_.end()) {
    middles_[run_start_] = {run_end_, std::move(line)};
    return 0;
  }
  append(line, std::move(head->second));
  heads_.erase(head);
  return join_before(run_start_, std::move(line));
}

// Called when the text before the border has come, from the start of the line `tail` on. Joins `tail` with the text
// behind the border.
int LineJoiner::join_behind(std::uint64_t border, Line tail) {
  for (auto middle = middles_.find(border); middle != middles_.end(); middle = middles_.find(border)) {
    append(tail, std::move(middle->second.line));
    border = middle->second.end;
    middles_.erase(middle);
  }
  const auto head = heads_.find(border);
  if (head == heads_.end()) {
    tails_[border] = std::move(tail);
    return 0;
  }
  append(tail, std::move(head->second));
  heads_.erase(head);
  return pass_on(tail);
}

// Called when the text behind the border has come, up to a newline. Joins `head` with the text before the border.
int LineJoiner::join_before(std::uint64_t border, Line head) {
  for (auto middle = middles_.begin(); middle != middles_.end();) {
    if (middle->second.end != border) {
      ++middle;
      continue;
    }
    border = middle->first;
    append(middle->second.line, std::move(head));
    head = std::move(middle->second.line);
    middles_.erase(middle);
    middle = middles_.begin();
  }
  const auto tail = tails_.find(border);
  if (tail == tails_.end()) {
    heads_[border] = std::move(head);
    return 0;
  }
  append(tail->second, std::move(head));
  const int error = pass_on(tail->second);
  tails_.erase(tail);
  return error;
}

}  // namespace gbp
