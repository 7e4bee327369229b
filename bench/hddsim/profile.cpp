// SPDX-License-Identifier: MIT
#include "bench/hddsim/profile.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "toolbox/cli/quantities.hpp"

namespace hddsim {
namespace {

constexpr const char* kSuffix = ".profile";

enum class Unit : std::uint8_t { count, bytes, rate, duration };

struct Key {
  const char* name;
  Unit unit;
  std::uint64_t Profile::*field;
  unsigned kinds;  // bit n: the key is needed by Kind n
};

constexpr unsigned kMechanical = 1U << static_cast<unsigned>(Kind::mechanical);
constexpr unsigned kCard = 1U << static_cast<unsigned>(Kind::card);
constexpr unsigned kCloud = 1U << static_cast<unsigned>(Kind::cloud);

constexpr Key kKeys[] = {
    {"command_time", Unit::duration, &Profile::command_ns, kMechanical | kCard},
    {"queue_depth", Unit::count, &Profile::queue_depth, kMechanical | kCloud},
    {"rotations_per_minute", Unit::count, &Profile::rotations_per_minute, kMechanical},
    {"seek_min", Unit::duration, &Profile::seek_min_ns, kMechanical},
    {"seek_average", Unit::duration, &Profile::seek_average_ns, kMechanical},
    {"seek_max", Unit::duration, &Profile::seek_max_ns, kMechanical},
    {"outer_rate", Unit::rate, &Profile::outer_rate, kMechanical},
    {"inner_rate", Unit::rate, &Profile::inner_rate, kMechanical},
    {"zones", Unit::count, &Profile::zones, kMechanical},
    {"buffer", Unit::bytes, &Profile::buffer_bytes, kMechanical},
    {"write_cache", Unit::bytes, &Profile::write_cache_bytes, kMechanical},
    {"interface_rate", Unit::rate, &Profile::interface_rate, kMechanical},
    {"read_rate", Unit::rate, &Profile::read_rate, kCard},
    {"write_rate", Unit::rate, &Profile::write_rate, kCard},
    {"erase_block", Unit::bytes, &Profile::erase_block_bytes, kCard},
    {"open_blocks", Unit::count, &Profile::open_blocks, kCard},
    {"erase_time", Unit::duration, &Profile::erase_ns, kCard},
    {"latency", Unit::duration, &Profile::latency_ns, kCloud},
    {"operations_per_second", Unit::count, &Profile::operations_per_second, kCloud},
    {"burst_operations", Unit::count, &Profile::burst_operations, kCloud},
    {"operation_bytes", Unit::bytes, &Profile::operation_bytes, kCloud},
    {"rate", Unit::rate, &Profile::rate, kCloud},
    {"burst_bytes", Unit::bytes, &Profile::burst_bytes, kCloud},
};

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(" \t\r");
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

gray::cli::Reading read_count(const std::string& text) {
  gray::cli::Reading reading;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), reading.value);
  if (error != std::errc{} || end != text.data() + text.size())
    reading.problem = "'" + text + "' is no whole number";
  return reading;
}

gray::cli::Reading read_value(Unit unit, const std::string& text) {
  switch (unit) {
    case Unit::bytes:
      return gray::cli::read_bytes(text);
    case Unit::rate:
      return gray::cli::read_rate_bytes_per_s(text);
    case Unit::duration:
      return gray::cli::read_duration_ns(text);
    case Unit::count:
      break;
  }
  return read_count(text);
}

std::string set_kind(Profile& profile, const std::string& value) {
  if (value == "mechanical")
    profile.kind = Kind::mechanical;
  else if (value == "card")
    profile.kind = Kind::card;
  else if (value == "cloud")
    profile.kind = Kind::cloud;
  else
    return "kind '" + value + "' is none of mechanical, card, cloud";
  return "";
}

// Takes one line "key = value". Returns an empty string on success.
std::string take_line(Profile& profile, std::vector<std::string>& seen, const std::string& line) {
  const auto equals = line.find('=');
  if (equals == std::string::npos) return "'" + line + "' is not of the form key = value";
  const std::string key = trimmed(line.substr(0, equals));
  const std::string value = trimmed(line.substr(equals + 1));
  if (std::find(seen.begin(), seen.end(), key) != seen.end()) return key + " is given twice";
  seen.push_back(key);
  if (key == "kind") return set_kind(profile, value);
  const auto* found = std::find_if(std::begin(kKeys), std::end(kKeys),
                                   [&key](const Key& known) { return key == known.name; });
  if (found == std::end(kKeys)) return "'" + key + "' is no key of a profile";
  const gray::cli::Reading reading = read_value(found->unit, value);
  if (!reading.is_ok()) return key + ": " + reading.problem;
  profile.*(found->field) = reading.value;
  return "";
}

// Finds values that would make the model divide by zero or run backwards.
std::string find_contradiction(const Profile& profile) {
  if (profile.kind == Kind::mechanical) {
    if (profile.rotations_per_minute == 0 || profile.zones == 0 || profile.queue_depth == 0)
      return "rotations_per_minute, zones and queue_depth must not be 0";
    if (profile.outer_rate == 0 || profile.inner_rate == 0 || profile.interface_rate == 0)
      return "outer_rate, inner_rate and interface_rate must not be 0";
    if (profile.seek_min_ns > profile.seek_average_ns || profile.seek_average_ns > profile.seek_max_ns)
      return "seek_min, seek_average and seek_max must not fall";
  }
  if (profile.kind == Kind::card && (profile.read_rate == 0 || profile.write_rate == 0 ||
                                     profile.erase_block_bytes == 0 || profile.open_blocks == 0))
    return "read_rate, write_rate, erase_block and open_blocks must not be 0";
  if (profile.kind == Kind::cloud && (profile.operations_per_second == 0 || profile.rate == 0 ||
                                      profile.operation_bytes == 0 || profile.queue_depth == 0))
    return "operations_per_second, rate, operation_bytes and queue_depth must not be 0";
  return "";
}

std::string find_missing(const Profile& profile, const std::vector<std::string>& seen) {
  for (const Key& key : kKeys) {
    const bool is_needed = (key.kinds & (1U << static_cast<unsigned>(profile.kind))) != 0;
    if (is_needed && std::find(seen.begin(), seen.end(), key.name) == seen.end())
      return std::string("there is no ") + key.name;
  }
  return find_contradiction(profile);
}

}  // namespace

ProfileReading parse_profile(const std::string& text, const std::string& origin) {
  ProfileReading reading;
  std::vector<std::string> seen;
  std::istringstream lines(text);
  std::string line;
  for (unsigned number = 1; std::getline(lines, line); ++number) {
    line = trimmed(line.substr(0, line.find('#')));
    if (line.empty()) continue;
    const std::string problem = take_line(reading.profile, seen, line);
    if (problem.empty()) continue;
    reading.problem = fmt::format("{}:{}: {}", origin, number, problem);
    return reading;
  }
  const std::string problem = find_missing(reading.profile, seen);
  if (!problem.empty()) reading.problem = origin + ": " + problem;
  return reading;
}

ProfileReading read_profile(const std::string& name_or_path) {
  const bool is_path = name_or_path.find_first_of("/.") != std::string::npos;
  const std::string path =
      is_path ? name_or_path : std::string(HDDSIM_PROFILE_DIR) + "/" + name_or_path + kSuffix;
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  if (!file) {
    std::string known;
    for (const std::string& name : profile_names()) known += " " + name;
    return {{},
            "cannot read the profile '" + name_or_path + "'; there are:" + known + ", or give a file's path"};
  }
  ProfileReading reading = parse_profile(text.str(), path);
  reading.profile.name = std::filesystem::path(path).stem().string();
  return reading;
}

std::vector<std::string> profile_names() {
  std::vector<std::string> names;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(HDDSIM_PROFILE_DIR, ignored)) {
    if (entry.path().extension() == kSuffix) names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace hddsim
