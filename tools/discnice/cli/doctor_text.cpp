// SPDX-License-Identifier: MIT
#include "tools/discnice/cli/doctor_text.hpp"

#include <fmt/core.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <string_view>
#include <vector>

#include "toolbox/cli/diagnostics.hpp"

namespace discnice::cli {
namespace {

using gray::cli::printable;

constexpr std::size_t kStateColumns = 6;
constexpr std::size_t kTextColumn = 2 + kStateColumns + 2 + kWhatColumns + 2;
constexpr std::string_view kRemedyMark = "-> ";

struct Word {
  const char* text;
  const char* colour;  // as in an SGR escape sequence
};

Word word_of(Health health) {
  switch (health) {
    case Health::works:
      return {"works", "32"};
    case Health::partly:
      return {"partly", "33"};
    case Health::not_at_all:
      break;
  }
  return {"not", "31"};
}

// Breaks a text into lines of at most `columns` characters. A longer word gets a line of its own.
std::vector<std::string> wrapped(const std::string& text, std::size_t columns) {
  std::vector<std::string> lines;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (!lines.empty() && lines.back().size() + 1 + word.size() <= columns)
      lines.back() += " " + word;
    else
      lines.push_back(word);
  }
  return lines;
}

void add_lines(std::string& text, const std::vector<std::string>& lines, std::string_view first,
               std::size_t column) {
  for (const std::string& line : lines) {
    text += fmt::format("{:{}}{}\n", &line == &lines.front() ? first : "", column, line);
  }
}

void add_check(std::string& text, const Check& check, bool is_coloured) {
  const Word word = word_of(check.health);
  const std::string padded = fmt::format("{:{}}", word.text, kStateColumns);
  const std::string state = is_coloured ? fmt::format("\033[{}m{}\033[0m", word.colour, padded) : padded;
  const std::size_t room = kScreenColumns - kTextColumn;
  text += fmt::format("  {}  {:{}}  ", state, check.what, kWhatColumns);
  const auto why = wrapped(printable(check.why), room);
  for (const std::string& line : why)
    text += fmt::format("{:{}}{}\n", "", &line == &why.front() ? 0 : kTextColumn, line);
  if (check.health == Health::works || check.remedy.empty()) return;
  add_lines(text, wrapped(printable(check.remedy), room - kRemedyMark.size()),
            fmt::format("{:{}}{}", "", kTextColumn, kRemedyMark), kTextColumn + kRemedyMark.size());
}

std::string title_of(const Place& place) {
  const std::string name = printable(place.name);
  const std::string system = place.file_system.empty() ? "file system unknown" : place.file_system;
  return fmt::format("{}: {}{}\n", name, system, place.disk.empty() ? "" : " on " + place.disk);
}

nlohmann::ordered_json json_of(const std::vector<Check>& checks) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  const auto text_or_null = [](const std::string& text) {
    return text.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(text);
  };
  for (const Check& check : checks) {
    all.push_back({{"check", check.key},
                   {"state", word_of(check.health).text},
                   {"why", check.why},
                   {"remedy", text_or_null(check.health == Health::works ? "" : check.remedy)}});
  }
  return all;
}

}  // namespace

std::string doctor_text(const Diagnosis& diagnosis, const std::string& heading, bool is_coloured) {
  std::string text = heading + "\n";
  for (const Check& check : diagnosis.host) add_check(text, check, is_coloured);
  for (const Place& place : diagnosis.places) {
    text += title_of(place);
    for (const Check& check : place.checks) add_check(text, check, is_coloured);
  }
  return text;
}

std::string doctor_json(const Diagnosis& diagnosis) {
  nlohmann::ordered_json places = nlohmann::ordered_json::array();
  for (const Place& place : diagnosis.places) {
    nlohmann::ordered_json one;
    one["place"] = place.name;
    one["file_system"] = place.file_system.empty() ? nlohmann::ordered_json(nullptr)
                                                   : nlohmann::ordered_json(place.file_system);
    one["disk"] = place.disk.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(place.disk);
    one["checks"] = json_of(place.checks);
    places.push_back(std::move(one));
  }
  nlohmann::ordered_json json;
  json["is_rate_kept"] = is_main_job_done(diagnosis);
  json["checks"] = json_of(diagnosis.host);
  json["places"] = std::move(places);
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace discnice::cli
