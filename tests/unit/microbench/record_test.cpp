// SPDX-License-Identifier: MIT
// record_test: which keys are measured again, which records are replaced, and how curves are spelled.
//
// How: findings and old records are given, and the changes are checked. Left out: the file itself (toolbox/repo has its tests).
#include "microbench/record.hpp"

#include <algorithm>

#include "microbench/curve.hpp"
#include "microbench/host_state.hpp"
#include "microbench/json_record.hpp"
#include "microbench/registry.hpp"
#include "tests/support/catch.hpp"

using namespace microbench;
using gray::repo::Parameter;

namespace {

constexpr std::time_t kNow = 1'800'000'000;

Parameter known(const std::string& key, double value, const std::string& method = "back_to_back",
                std::time_t age_s = 0) {
  Parameter parameter;
  parameter.key = key;
  parameter.value = value;
  parameter.unit = "ns";
  parameter.method = method;
  parameter.date = gray::repo::format_date(kNow - age_s);
  return parameter;
}

Measured found(const char* benchmark, std::vector<Finding> findings) {
  Measured measured;
  measured.benchmark = find_benchmark(benchmark);
  measured.findings = std::move(findings);
  return measured;
}

}  // namespace

TEST_CASE("every key has one benchmark, and a default of the same unit where there is one", "[microbench]") {
  for (const Benchmark* benchmark : benchmarks()) {
    CHECK(find_benchmark(benchmark->name) == benchmark);
    for (const Output& output : benchmark->outputs) {
      INFO(output.key);
      const std::string key =
          output.kind == Kind::kCurve ? point_key(output.key, 1, output.unit) : output.key;
      CHECK(describe(key).benchmark == benchmark);
      CHECK(gray::repo::parse_name(key));
    }
  }
  CHECK(describe("no.such_key").benchmark == nullptr);
}

TEST_CASE("the points of a curve are keys that read back", "[microbench]") {
  CHECK(point_key("disk.unit_curve", 4096, "bytes/s") == "disk.unit_curve.x4096_bytes_per_s");
  const auto point = parse_point("disk.unit_curve.x4096_bytes_per_s");
  REQUIRE(point);
  CHECK(point->curve == "disk.unit_curve");
  CHECK(point->x == 4096);
  CHECK_FALSE(parse_point("disk.miss_ns"));
  CHECK_FALSE(parse_point("disk.xlarge_ns"));
  CHECK_FALSE(parse_point(".x4_ns"));
}

TEST_CASE("what is missing, old, or measured on a busy host is wanted", "[microbench]") {
  const Benchmark& timer = *find_benchmark("timer");
  const auto is_timer_wanted = [&](std::vector<Parameter> record) {
    return is_wanted(timer, record, "", kNow);
  };
  CHECK(is_timer_wanted({}));
  CHECK(is_timer_wanted({known("timer.overhead_ns", 20)}));
  CHECK_FALSE(is_timer_wanted({known("timer.overhead_ns", 20), known("timer.resolution_ns", 1)}));
  CHECK(is_timer_wanted({known("timer.overhead_ns", 20, "x+busy"), known("timer.resolution_ns", 1)}));
  CHECK(is_timer_wanted(
      {known("timer.overhead_ns", 20, "x", kStaleSeconds + 1), known("timer.resolution_ns", 1)}));
}

TEST_CASE("a busy value does not replace a good one, and is marked", "[microbench]") {
  const auto measured = found("timer", {{"timer.overhead_ns", 30, 1.0, 9}});
  CHECK(changes_for({measured}, "", true, {known("timer.overhead_ns", 20)}, kNow).set.empty());
  const auto changes = changes_for({measured}, "", true, {}, kNow);
  REQUIRE(changes.set.size() == 1);
  CHECK(is_busy_value(changes.set[0]));
  CHECK(gray::repo::is_well_formed(changes.set[0]));
}

TEST_CASE("a spread grows to the distance of the run before, unless the host has changed", "[microbench]") {
  const auto measured = found("timer", {{"timer.overhead_ns", 30, 1.0, 9}});
  const auto spread_after = [&](double old) {
    return changes_for({measured}, "", false, {known("timer.overhead_ns", old)}, kNow).set.at(0).spread;
  };
  CHECK(spread_after(27) == Approx(3));
  CHECK(spread_after(30.5) == Approx(1));
  CHECK(spread_after(300) == Approx(1));
}

TEST_CASE("what is no number, or no key of a benchmark, is not recorded", "[microbench]") {
  const auto measured = found("timer", {{"timer.overhead_ns", NAN, 1.0, 9}, {"near_ns", 1, 1.0, 9}});
  CHECK(changes_for({measured}, "", false, {}, kNow).set.empty());
}

TEST_CASE("a curve measured anew replaces all of the old one", "[microbench]") {
  Parameter old = known("disk.unit_curve.x4096_bytes_per_s", 1);
  old.device = "uuid:a";
  Parameter other = old;
  other.device = "uuid:b";
  const auto measured = found("disk_unit", {{"disk.access_unit_bytes", 8192, 1.0, 9}});
  const auto changes = changes_for({measured}, "uuid:a", false, {old, other}, kNow);
  REQUIRE(changes.forget.size() == 1);
  CHECK(changes.forget[0].device == "uuid:a");
  CHECK(changes.set.at(0).device == "uuid:a");
}

TEST_CASE("pressure and processor time are read from the kernel's texts", "[microbench]") {
  CHECK(pressure_percent("some avg10=12.50 avg60=0.00 avg300=0.00 total=1\nfull avg10=0.00") == 12.5);
  CHECK(pressure_percent("") == 0);
  const CpuTicks ticks = parse_cpu_ticks("cpu  10 1 5 100 4 0 1 2 7 0\ncpu0 1");
  CHECK(ticks.all == 123);
  CHECK(ticks.idle == 104);
  CHECK(parse_cpu_ticks("nonsense").all == 0);
}

TEST_CASE("a record that is no export is refused in words", "[microbench]") {
  CHECK_FALSE(from_json("").problem.empty());
  CHECK_FALSE(from_json("[1]").problem.empty());
  CHECK_FALSE(from_json(R"({"schema": 99, "parameters": {}, "devices": {}})").problem.empty());
  const JsonRecord record = from_json(
      R"({"schema": 1, "parameters": {"a_ns": {"value": 2, "unit": "ns"}}, "devices": {"d": {"b_ns": {"value": 3, "unit": "ns"}}}})");
  REQUIRE(record.parameters.size() == 2);
  CHECK(record.parameters[1].device == "d");
}
