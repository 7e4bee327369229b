// SPDX-License-Identifier: MIT
// sampler_test: when gb-wss looks, and what it reports. Left out: real processes (cli/gb_wss, system/working_set).
#include <nlohmann/json.hpp>

#include "tests/support/catch.hpp"
#include "tools/gb-wss/report.hpp"
#include "tools/gb-wss/sampler.hpp"

namespace {

constexpr std::uint64_t kS = 1'000'000'000;
constexpr std::uint64_t kMiB = 1U << 20U;

gb_wss::Sampling one_process() {
  gb_wss::Process process;
  process.pid = 42;
  process.name = "a\nb";
  process.curve = {{kS / 4, 80 * kMiB}, {kS / 2, 100 * kMiB}, {kS, 100 * kMiB}, {2 * kS, 101 * kMiB}};
  process.last.resident_bytes = 400 * kMiB;
  process.last.share_bytes = 300 * kMiB;
  process.last.cost_ns = kS / 100;
  gb_wss::Sampling sampling;
  sampling.processes = {process};
  sampling.curve = process.curve;
  sampling.span_ns = 2 * kS;
  return sampling;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("times of looks double and end with the span") {
  CHECK(gb_wss::look_times(8 * kS, 4) == std::vector<std::uint64_t>{kS, 2 * kS, 4 * kS, 8 * kS});
}

TEST_CASE("the span is ten seconds, what was asked for, or what keeps the cost at a hundredth") {
  CHECK(gb_wss::span_for(0, 1'000'000, 8) == 10 * kS);
  CHECK(gb_wss::span_for(3 * kS, 500'000'000, 8) == 3 * kS);
  CHECK(gb_wss::span_for(0, 500'000'000, 8) == 500 * kS);
}

TEST_CASE("the report of a process names what it works with, what lies idle and what it cost") {
  const std::string text = gb_wss::text_report(one_process());
  CHECK(has(text, "42 a\\nb: 400 MiB resident\n"));
  CHECK(has(text, "works with: 100 MiB (touched within 500 ms;"));
  CHECK(has(text, "not touched for 2.00 s: 299 MiB\n"));
  CHECK(has(text, "cost: 10.0 ms, 0.5 % of the time\n"));
}

TEST_CASE("a curve that only grows is said to have no bend") {
  gb_wss::Sampling sampling = one_process();
  for (gb_wss::Point& point : sampling.processes[0].curve) point.touched_bytes = point.since_ns / 100;
  CHECK(has(gb_wss::text_report(sampling), "no bend:"));
}

TEST_CASE("JSON has the curve in bytes, and null where there is no bend") {
  gb_wss::Sampling sampling = one_process();
  auto json = nlohmann::json::parse(gb_wss::json_report(sampling));
  CHECK(json["processes"][0]["curve"][3]["touched_bytes"] == 101 * kMiB);
  CHECK(json["processes"][0]["knee"]["touched_bytes"] == 100 * kMiB);
  CHECK(json["processes"][0]["error"].is_null());
  sampling.processes[0].error = -3;
  sampling.processes[0].curve.clear();
  json = nlohmann::json::parse(gb_wss::json_report(sampling));
  CHECK(json["processes"][0]["knee"].is_null());
  CHECK(json["processes"][0]["error"].is_string());
}

TEST_CASE("each doubt is a sentence") {
  gb_wss::Process process;
  CHECK(gb_wss::doubts_in_words(process).empty());
  process.last.doubts =
      GB_DOUBT_HUGE | GB_DOUBT_RECLAIM | GB_DOUBT_CLEARED | GB_DOUBT_HUGETLB | GB_DOUBT_SWAPPED;
  CHECK(gb_wss::doubts_in_words(process).size() == 5);
  process.last.doubts = 0;
  process.curve = {{1, 100}, {2, 50}};
  process.last.resident_bytes = 60;
  CHECK(gb_wss::doubts_in_words(process).size() == 1);
}
