// SPDX-License-Identifier: MIT
// live_screen_test: the screen of `discnice top`: words keep their places at any width, the chosen job is shown, and bars show the past.
//
// How: screens are made from invented jobs and checked word by word. Left out: the terminal itself (cli/discnice_top).
#include "tools/discnice/cli/live_screen.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <clocale>
#include <cwchar>

#include "tests/support/catch.hpp"
#include "tools/discnice/policy/registry.hpp"

using namespace discnice;
using namespace discnice::cli;

namespace {

constexpr std::uint64_t kMiB = 1024 * 1024;

int columns_of(const std::string& text) {
  std::mbstate_t state{};
  int columns = 0;
  for (std::size_t at = 0; at < text.size();) {
    wchar_t sign = 0;
    const std::size_t bytes = std::mbrtowc(&sign, text.data() + at, text.size() - at, &state);
    REQUIRE(bytes > 0);
    REQUIRE(bytes <= text.size() - at);
    columns += wcwidth(sign);
    at += bytes;
  }
  return columns;
}

JobLook job(std::uint64_t number, const std::string& command, Rates rates = {}) {
  Grant grant;
  grant.policy_id = policy::kRateWindowId;
  grant.rate_bytes_per_s = 5 * kMiB;
  return {number, command, grant, rates, 2, 0, Others::there, {}};
}

Scene scene_of(std::vector<JobLook> jobs) {
  REQUIRE(std::setlocale(LC_CTYPE, "C.UTF-8") != nullptr);
  Scene scene;
  scene.clock = "12:34:56";
  Look look;
  look.jobs = std::move(jobs);
  look.disks.push_back({7, "sda", {3.2 * kMiB, 0, 0}});
  take_look(scene, std::move(look));
  return scene;
}

std::string text_of(const ScreenLine& line) {
  std::string text;
  int column = 0;
  for (const Span& span : line) {
    text += std::string(static_cast<std::size_t>(std::max(0, span.column - column)), ' ') + span.text;
    column = span.column + columns_of(span.text);
  }
  return text;
}

std::string text_of(const std::vector<ScreenLine>& lines) {
  std::string text;
  for (const ScreenLine& line : lines) text += text_of(line) + "\n";
  return text;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("words neither overlap nor leave the screen, whatever its size", "[live]") {
  std::vector<JobLook> jobs = {
      job(4211, "rsync", {4.9 * kMiB, 4.8 * kMiB, 1}),
      job(4194304, "a-program-with-a-long-name-that-nobody-can-read-as-a-whole"),
      job(77, "\u5099\u4efd\u5099\u4efd\u5099\u4efd\u5099\u4efd\u5099\u4efd", {1023 * kMiB, 0, 0.5})};
  jobs[1].uncovered = 3;
  jobs[2].members = {{4242, "gzip", {}}, {4243, "\u5099\u4efd", {}}};
  Scene scene = scene_of(jobs);
  scene.has_processes = true;
  scene.message =
      "a message that is so long that no screen of a usual width can show all of it to whoever sits before "
      "it, is it";
  for (int round = 0; round < 150; ++round) take_look(scene, Look{scene.look});
  for (int width = 1; width <= 220; ++width) {
    for (const int height : {1, 2, 4, 5, 10, 24, 50}) {
      const std::vector<ScreenLine> lines = compose(scene, width, height);
      CHECK(lines.size() <= static_cast<std::size_t>(height));
      for (const ScreenLine& line : lines) {
        int end = 0;
        for (const Span& span : line) {
          REQUIRE(span.column >= end);
          end = span.column + columns_of(span.text);
          REQUIRE(end <= width);
        }
      }
    }
  }
}

TEST_CASE("at 80 columns all figures of a job can be read", "[live]") {
  const std::string text =
      text_of(compose(scene_of({job(4211, "rsync", {4.9 * kMiB, 120 * 1024, 0.43})}), 80, 24));
  INFO(text);
  CHECK(has(text, "discnice top: 1 job"));
  CHECK(has(text, "12:34:56"));
  CHECK(has(text, "4211 rsync"));
  CHECK(has(text, "4.90 MiB/s"));
  CHECK(has(text, "120 KiB/s"));
  CHECK(has(text, "43 %"));
  CHECK(has(text, "limit 5.00 MiB/s; others busy"));
  CHECK(has(text, "others at sda"));
  CHECK(has(text, "3.20 MiB/s"));
  CHECK(has(text, "p pause   r resume   s set a rate   q quit"));
}

TEST_CASE("at 80 columns the network of a job that is held there has a line of its own", "[live]") {
  JobLook look = job(4211, "rsync", {4.9 * kMiB, 120 * 1024, 0.43});
  look.grant.net_up_bytes_per_s = look.grant.net_down_bytes_per_s = kMiB;
  CHECK_FALSE(has(text_of(compose(scene_of({look}), 80, 24)), "received, sent"));
  look.net = NetRates{0.98 * kMiB, 12 * 1024};
  const std::string text = text_of(compose(scene_of({look}), 80, 24));
  INFO(text);
  CHECK(has(text, "limit 5.00 MiB/s; others busy"));
  CHECK(has(text, "net 1.00 MiB/s: received, sent"));
  CHECK(has(text, "12.0 KiB/s"));
  CHECK(has(text, "1004 KiB/s"));
  look.grant.net_up_bytes_per_s = look.grant.net_down_bytes_per_s = 0;
  CHECK(has(text_of(compose(scene_of({look}), 80, 24)), "net free: received, sent"));
}

TEST_CASE("the job that is chosen is on the screen, however many there are", "[live]") {
  std::vector<JobLook> jobs;
  for (std::uint64_t number = 1000; number < 1060; ++number) jobs.push_back(job(number, "dd"));
  Scene scene = scene_of(jobs);
  for (scene.chosen = 0; scene.chosen < jobs.size(); ++scene.chosen) {
    const std::string text = text_of(compose(scene, 80, 24));
    CHECK(has(text, fmt::format("> {:>8} dd", 1000 + scene.chosen)));
  }
}

TEST_CASE("the same job stays chosen when others come and go", "[live]") {
  Scene scene = scene_of({job(10, "a"), job(20, "b"), job(30, "c")});
  scene.chosen = 1;
  take_look(scene, {{job(20, "b"), job(30, "c")}, {}});
  CHECK(scene.chosen == 0);
  take_look(scene, {{job(5, "z"), job(30, "c")}, {}});
  CHECK(scene.chosen < 2);
  take_look(scene, {});
  CHECK(scene.chosen == 0);
  CHECK(scene.jobs.empty());
  CHECK(has(text_of(compose(scene, 80, 24)), "No job is running"));
}

TEST_CASE("a bar is as high as its share, nothing is the lowest one, and the newest is at the right",
          "[live]") {
  CHECK(bars({0, 0.001, 0.5, 1, 7}, 6, false) == " _.=##");
  CHECK(bars({0, 1}, 2, true) == "\u2581\u2588");
  CHECK(bars({0, 0, 1}, 1, false) == "#");
  CHECK(bars({}, 3, false) == "   ");
  CHECK(bars({1}, 0, false).empty());
}

TEST_CASE("a job's bars of reading and writing have its limit as their scale, or what is more", "[live]") {
  Scene scene = scene_of({job(10, "a", {2.5 * kMiB, 5 * kMiB, 0.5})});
  scene.is_utf8 = false;
  const auto lines = compose(scene, 80, 24);
  INFO(text_of(lines));
  const std::string figures = text_of(lines[3]);
  CHECK(has(figures, "= "));  // 2.5 of 5 MiB/s read: half of the bar
  CHECK(has(figures, "# "));  // 5 of 5 MiB/s written: the full bar
  take_look(scene, {{job(10, "a", {10 * kMiB, 0, 0})}, {}});
  CHECK(has(text_of(compose(scene, 80, 24)[3]), ":#"));  // 2.5 of 10 MiB/s now: a quarter
}

TEST_CASE("what is paused and what runs without a limit is said", "[live]") {
  JobLook held = job(10, "a");
  held.grant.flags |= kPaused;
  held.uncovered = 1;
  const std::string text = text_of(compose(scene_of({held}), 100, 24));
  CHECK(has(text, "paused"));
  CHECK(has(text, "1 process runs without a limit: see discnice report 10"));
}
