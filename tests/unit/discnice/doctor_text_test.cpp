// SPDX-License-Identifier: MIT
// doctor_text_test: the findings of `discnice doctor` fit on one screen for a person, and are complete for a program.
//
// How: the test makes up diagnoses. tests/cli/discnice_doctor_test.sh runs the code that makes diagnoses.
#include "tools/discnice/cli/doctor_text.hpp"

#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/support/catch.hpp"

namespace discnice::cli {
namespace {

const std::string kLong =
    "a sentence that is so long that it takes more than one line of a terminal, and that ends here at last";

Check check(Health health, bool is_main, const std::string& remedy = "") {
  Check one{"some_key", "some thing", health, kLong};
  one.remedy = remedy;
  one.is_main = is_main;
  return one;
}

std::size_t longest_line(const std::string& text) {
  std::istringstream lines(text);
  std::size_t longest = 0;
  for (std::string line; std::getline(lines, line);) longest = std::max(longest, line.size());
  return longest;
}

TEST_CASE("no line is wider than a terminal, and the words of a sentence all stay", "[doctor]") {
  const Diagnosis diagnosis{{check(Health::partly, false, kLong)}, {}};
  const std::string text = doctor_text(diagnosis, "discnice", false);
  CHECK(longest_line(text) <= kScreenColumns);
  CHECK(longest_line(text) > kScreenColumns / 2);
  std::istringstream words(text);
  std::string joined;
  for (std::string word; words >> word;) joined += word + " ";
  CHECK(joined == "discnice partly some thing " + kLong + " -> " + kLong + " ");
}

TEST_CASE("what works is not given advice", "[doctor]") {
  const Diagnosis diagnosis{{check(Health::works, false, "advice")}, {}};
  CHECK(doctor_text(diagnosis, "discnice", false).find("advice") == std::string::npos);
  CHECK(nlohmann::json::parse(doctor_json(diagnosis))["checks"][0]["remedy"].is_null());
}

TEST_CASE("colours are there only where they are wanted", "[doctor]") {
  const Diagnosis diagnosis{{check(Health::not_at_all, false)}, {}};
  CHECK(doctor_text(diagnosis, "discnice", false).find('\033') == std::string::npos);
  CHECK(doctor_text(diagnosis, "discnice", true).find("\033[31mnot   \033[0m") != std::string::npos);
}

TEST_CASE("a name that would speak to the terminal is shown escaped", "[doctor]") {
  const Diagnosis diagnosis{{}, {{"a\033[2Jb", "ext4", "", {}}}};
  CHECK(doctor_text(diagnosis, "discnice", false).find("\\x1b") != std::string::npos);
}

TEST_CASE("a rate is kept unless something that it needs does not work at all", "[doctor]") {
  const Place place{"/data", "ext4", "sda (8:0)", {check(Health::partly, true)}};
  CHECK(is_main_job_done({{check(Health::not_at_all, false)}, {place}}));
  CHECK_FALSE(is_main_job_done({{check(Health::not_at_all, true)}, {place}}));
  Place bad = place;
  bad.checks.push_back(check(Health::not_at_all, true));
  CHECK_FALSE(is_main_job_done({{}, {place, bad}}));
  CHECK(nlohmann::json::parse(doctor_json({{}, {place, bad}}))["is_rate_kept"] == false);
}

TEST_CASE("a program reads the same as a person", "[doctor]") {
  const Place place{"/data", "", "", {check(Health::partly, true, "do that")}};
  const auto json = nlohmann::json::parse(doctor_json({{check(Health::works, false)}, {place}}));
  CHECK(json["checks"][0]["check"] == "some_key");
  CHECK(json["checks"][0]["state"] == "works");
  CHECK(json["places"][0]["place"] == "/data");
  CHECK(json["places"][0]["file_system"].is_null());
  CHECK(json["places"][0]["checks"][0]["state"] == "partly");
  CHECK(json["places"][0]["checks"][0]["why"] == kLong);
  CHECK(json["places"][0]["checks"][0]["remedy"] == "do that");
}

}  // namespace
}  // namespace discnice::cli
