// SPDX-License-Identifier: MIT
// line_joiner_test: a text is given in parts, in any order, and comes out line by line. Each line comes out whole and once, and the unfinished line comes last.
//
// How: random texts are cut at random places and given in random orders, in pieces. The output is compared as a sorted list of lines, and
// its end as text. Lines that are too long to be held are read again from the text. Left out: the file itself (cli/gbp_lines_test.sh).
#include "tools/gbp/line_joiner.hpp"

#include <algorithm>
#include <cerrno>
#include <random>
#include <string>
#include <vector>

#include "tests/support/catch.hpp"

using gbp::LineJoiner;

namespace {

struct Part {
  std::size_t start;
  std::size_t end;
};

// Joins the parts one after the other, each in pieces of at most `piece_bytes`.
std::string joined(const std::string& text, const std::vector<Part>& parts, std::size_t piece_bytes) {
  std::string out;
  const auto write = [&out](std::string_view piece) {
    out += piece;
    return 0;
  };
  LineJoiner joiner(write, [&text](std::uint64_t offset, std::uint64_t bytes, const LineJoiner::Write& to) {
    return to(std::string_view(text).substr(offset, bytes));
  });
  for (const Part& part : parts)
    for (std::size_t at = part.start; at < part.end; at += piece_bytes)
      REQUIRE(joiner.take(at, std::string_view(text).substr(at, std::min(piece_bytes, part.end - at))) == 0);
  REQUIRE(joiner.finish() == 0);
  return out;
}

std::vector<std::string> sorted_lines(const std::string& text) {
  std::vector<std::string> lines;
  std::size_t start = 0;
  for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', start)) {
    lines.push_back(text.substr(start, end + 1 - start));
    start = end + 1;
  }
  lines.push_back(text.substr(start));
  std::sort(lines.begin(), lines.end() - 1);  // the unfinished line stays last
  return lines;
}

std::string random_text(std::mt19937_64& random, std::size_t line_bytes_max) {
  std::string text;
  const std::size_t lines = random() % 40;
  for (std::size_t i = 0; i < lines; ++i) {
    text += std::to_string(i) + std::string(random() % (line_bytes_max + 1), static_cast<char>('a' + i % 26));
    text += random() % 5 == 0 ? "\r\n" : "\n";
    if (random() % 8 == 0) text += "\n";
  }
  if (random() % 2 == 0) text += "unfinished";
  return text;
}

std::vector<Part> random_parts(std::mt19937_64& random, std::size_t bytes) {
  std::vector<std::size_t> borders = {0, bytes};
  for (std::size_t i = random() % 20; i > 0 && bytes > 0; --i) borders.push_back(random() % bytes);
  std::sort(borders.begin(), borders.end());
  std::vector<Part> parts;
  for (std::size_t i = 1; i < borders.size(); ++i)
    if (borders[i - 1] < borders[i]) parts.push_back({borders[i - 1], borders[i]});
  std::shuffle(parts.begin(), parts.end(), random);
  return parts;
}

}  // namespace

TEST_CASE("every line of a text in parts comes out whole, once, the unfinished one last", "[gbp]") {
  std::mt19937_64 random(28);
  for (int i = 0; i < 3000; ++i) {
    const std::string text = random_text(random, i % 3 == 0 ? 3 : 200);
    const std::string out = joined(text, random_parts(random, text.size()), 1 + random() % 300);
    REQUIRE(sorted_lines(out) == sorted_lines(text));
  }
}

TEST_CASE("a line longer than a part, and than what is held, comes out whole", "[gbp]") {
  std::mt19937_64 random(29);
  for (int i = 0; i < 30; ++i) {
    const std::string text = random_text(random, 3 * gbp::kLineBytesMax);
    const std::string out = joined(text, random_parts(random, text.size()), 100000);
    REQUIRE(sorted_lines(out) == sorted_lines(text));
  }
}

TEST_CASE("a text in its own order comes out as it is", "[gbp]") {
  const std::string text = "one\ntwo\n\nthree";
  CHECK(joined(text, {{0, 5}, {5, text.size()}}, 2) == text);
  CHECK(joined("", {}, 2).empty());
  CHECK(joined("no newline", {{3, 10}, {0, 3}}, 2) == "no newline");
}

TEST_CASE("an error of the writer ends it", "[gbp]") {
  LineJoiner joiner([](std::string_view) { return -EPIPE; }, nullptr);
  CHECK(joiner.take(0, "a\n") == -EPIPE);
}

TEST_CASE("text has no NUL and no very long line", "[gbp]") {
  CHECK(gbp::is_text("a\nb"));
  CHECK(gbp::is_text(""));
  CHECK_FALSE(gbp::is_text(std::string_view("a\0b\n", 4)));
  CHECK(gbp::is_text(std::string(gbp::kLineBytesMax - 1, 'x') + "\n" + std::string(gbp::kLineBytesMax, 'y')));
  CHECK_FALSE(gbp::is_text(std::string(gbp::kLineBytesMax + 1, 'x')));
}
