// SPDX-License-Identifier: MIT
// html_test: names have no effect on a page, axes have round values, pictures contain the given values, and a page is written to its file whole.
//
// Left out: the page's look (tests/system/html_pages_test.sh).
#include <algorithm>
#include <filesystem>

#include <sys/stat.h>

#include "tests/support/catch.hpp"
#include "tests/unit/toolbox/captured_child.hpp"
#include "tests/unit/toolbox/temporary_folder.hpp"
#include "toolbox/cli/quantities.hpp"
#include "toolbox/html/bars.hpp"
#include "toolbox/html/chart.hpp"
#include "toolbox/html/document.hpp"
#include "toolbox/html/output.hpp"

using namespace gray::html;

namespace {

std::vector<std::string> labels(const Axis& axis) {
  std::vector<std::string> texts;
  for (const double value : round_values(axis)) texts.push_back(label(value, axis.quantity));
  return texts;
}

constexpr double kMiB = 1024 * 1024;

std::size_t count(const std::string& text, const std::string& word) {
  std::size_t found = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++found;
  return found;
}

}  // namespace

TEST_CASE("a name with markup, quotes, a newline or broken UTF-8 is shown and has no effect", "[html]") {
  CHECK(escape("<b>&\"'") == "&lt;b&gt;&amp;&quot;&#39;");
  CHECK(escape("a\nb\x1b[2J") == "a\\nb\\x1b[2J");
  CHECK(escape("\xff\xfe") == "\\xff\\xfe");
  CHECK(escape("g\xc3\xbc") == "g\xc3\xbc");
  const std::string page = document("</title><script>", "", "");
  CHECK(page.find("<script") == std::string::npos);
}

TEST_CASE("an axis has some round values between its ends", "[html]") {
  using Texts = std::vector<std::string>;
  CHECK(labels({Quantity::bytes_per_s, false, 0, 5.3 * kMiB}) ==
        Texts{"0", "1 MiB/s", "2 MiB/s", "3 MiB/s", "4 MiB/s", "5 MiB/s"});
  CHECK(labels({Quantity::bytes_per_s, false, 0, 1200 * kMiB}) ==
        Texts{"0", "256 MiB/s", "512 MiB/s", "768 MiB/s", "1 GiB/s"});
  CHECK(labels({Quantity::time_ns, false, 0, 12e9}) ==
        Texts{"0", "2 s", "4 s", "6 s", "8 s", "10 s", "12 s"});
  CHECK(labels({Quantity::time_ns, false, 0, 5 * 3600e9}) == Texts{"0", "1 h", "2 h", "3 h", "4 h", "5 h"});
  CHECK(labels({Quantity::bytes, true, 4096, 1 << 20}) ==
        Texts{"4 KiB", "16 KiB", "64 KiB", "256 KiB", "1 MiB"});
  CHECK(labels({Quantity::count, false, 0, 3}) == Texts{"0", "1", "2", "3"});
  CHECK(labels({Quantity::count, false, 7, 7}) == Texts{"7"});
  for (const double high : {1e-9, 1e-3, 1.0, 17.0, 1e3, 3.7e9, 1e18}) {
    for (const bool is_log : {false, true}) {
      for (const auto quantity :
           {Quantity::count, Quantity::bytes, Quantity::bytes_per_s, Quantity::time_ns}) {
        const auto values = round_values({quantity, is_log, is_log ? high / 1e6 : 0, high});
        CAPTURE(high, is_log, values.size());
        CHECK((!values.empty() && values.size() <= 9));
        CHECK(std::is_sorted(values.begin(), values.end()));
      }
    }
  }
}

TEST_CASE("what stands at an axis of bytes is the value itself, not a rounded one", "[html]") {
  for (double high = 1; high < 1e15; high *= 1.07) {
    for (const auto& [quantity, read] :
         {std::pair{Quantity::bytes, &gray::cli::read_bytes},
          std::pair{Quantity::bytes_per_s, &gray::cli::read_rate_bytes_per_s}}) {
      for (const double value : round_values({quantity, false, 0, high})) {
        std::string text = label(value, quantity);
        std::erase(text, ' ');
        CAPTURE(high, text);
        if (value > 0) CHECK(static_cast<double>(read(text).value) == value);
      }
    }
  }
}

TEST_CASE("a picture escapes names, holds its marks, and is empty without points", "[html]") {
  CHECK(draw({}).empty());
  Chart chart{"<b>", Shape::line, Quantity::time_ns,          Quantity::count,
              true,  false,       {{"a<b", {{1, 2}, {2, 3}}}}};
  chart.marks = {{Mark::Along::x, 2, "\"x\""}};
  const std::string picture = draw(chart);
  CHECK(picture.find("a&lt;b") != std::string::npos);
  CHECK(picture.find("&quot;x&quot;") != std::string::npos);
  CHECK(picture.find("<b>") == std::string::npos);
  CHECK(count(picture, "line class=\"mark\"") == 1);
  CHECK(count(picture, "h0") == 2);
}

TEST_CASE("steps stand on one another, and the highest sum has room", "[html]") {
  Chart chart{"", Shape::steps, Quantity::time_ns, Quantity::bytes_per_s, false, false, {}};
  chart.series = {{"read", {{0, 1}, {1, 3}, {2, 0}}}, {"written", {{0, 3}, {1, 1}, {2, 0}}}};
  const std::string picture = draw(chart);
  // The highest sum is 4, with some room above it. "written" is 3 above its foot of 1, and then 1 above its foot of 3.
  CHECK(picture.find("M0.0 38.5H500.0L500.0 38.5H1000.0") != std::string::npos);
  CHECK(picture.find("nan") == std::string::npos);
}

TEST_CASE("a stretch shows however short it is, and stays within its bar", "[html]") {
  const std::string text = bar({{1, 1, "s0"}});
  CHECK(text.find("x=\"999.0\" y=\"0\" width=\"1.0\"") != std::string::npos);
}

TEST_CASE("a page is written whole, keeps a link and a mode, and leaves nothing where it fails", "[html]") {
  const TemporaryFolder folder;
  const std::string page = folder.path("page.html");
  CHECK(write_page(page, "one") == 0);
  CHECK(chmod(page.c_str(), 0600) == 0);
  std::filesystem::create_symlink("page.html", folder.path("link"));
  CHECK(write_page(folder.path("link"), "two") == 0);
  CHECK(folder.read("page.html") == "two");
  CHECK(std::filesystem::is_symlink(folder.path("link")));
  struct stat status {};
  CHECK(stat(page.c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0600);
  const auto refused = run_captured([&] { return write_page(folder.path("none/page.html"), "x"); });
  CHECK(refused.exit_status == 1);
  CHECK(std::count(refused.stderr_text.begin(), refused.stderr_text.end(), '\n') == 1);
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path("")), {}) == 2);
}
