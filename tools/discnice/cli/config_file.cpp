// SPDX-License-Identifier: MIT
#include "tools/discnice/cli/config_file.hpp"

#include <array>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "toolbox/cli/quantities.hpp"
#include "tools/discnice/policy/registry.hpp"

namespace discnice::cli {
namespace {

struct Option {
  const char* name;
  std::string LimitTexts::*text;
  bool is_limit;  // says how much the job may use, rather than how
};

constexpr std::array<Option, 10> kOptions{{{"policy", &LimitTexts::policy, true},
                                           {"rate", &LimitTexts::rate, true},
                                           {"read-rate", &LimitTexts::read_rate, true},
                                           {"write-rate", &LimitTexts::write_rate, true},
                                           {"iops", &LimitTexts::operations, true},
                                           {"burst", &LimitTexts::burst, false},
                                           {"min-rate", &LimitTexts::rate_min, false},
                                           {"preemption", &LimitTexts::preemption, false},
                                           {"weight", &LimitTexts::weight, false},
                                           {"smooth-writes", &LimitTexts::smooth_writes, false}}};

const Option* find_option(const std::string& name) {
  for (const Option& option : kOptions) {
    if (name == option.name) return &option;
  }
  return nullptr;
}

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(" \t\r");
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

std::string without_comment(const std::string& line) {
  return trimmed(line.substr(0, line.find('#')));
}

// What is wrong with a value, or nothing. Numbers are judged where they are used.
std::string judge(const std::string& option, const std::string& value) {
  if (value.empty()) return "the value is missing";
  if (option == "policy" && policy::policy_id_by_name(value.data(), value.size()) < 0)
    return fmt::format("there is no policy '{}': choose one of {}", value, policy_names());
  if (option == "smooth-writes" && value != "on" && value != "off" && value != "auto")
    return fmt::format("'{}' is none of on, off, auto", value);
  const bool is_rate = option.size() >= 4 && option.compare(option.size() - 4, 4, "rate") == 0;
  if (is_rate && value != "none") return gray::cli::read_rate_bytes_per_s(value).problem;
  return "";
}

// Takes one line; returns what is wrong with it.
std::string take_line(const std::string& line, ConfigLine& current, Config& config) {
  if (line.front() == '[') {
    if (line.back() != ']' || line.size() < 3) return "a program stands in brackets: [rsync]";
    current.program = trimmed(line.substr(1, line.size() - 2));
    return "";
  }
  const auto equals = line.find('=');
  if (equals == std::string::npos) return "this is no 'option = value'";
  current.option = trimmed(line.substr(0, equals));
  current.value = trimmed(line.substr(equals + 1));
  if (find_option(current.option) == nullptr) return fmt::format("there is no option '{}'", current.option);
  std::string problem = judge(current.option, current.value);
  if (problem.empty()) config.lines.push_back(current);
  return problem;
}

}  // namespace

std::string config_path() {
  if (const char* folder = std::getenv("XDG_CONFIG_HOME"); folder != nullptr && *folder != '\0')
    return std::string(folder) + "/discnice/config";
  if (const char* home = std::getenv("HOME"); home != nullptr && *home != '\0')
    return std::string(home) + "/.config/discnice/config";
  return "";
}

Config parse_config(const std::string& text, const std::string& path) {
  Config config;
  ConfigLine current;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    ++current.number;
    line = without_comment(line);
    if (line.empty()) continue;
    const std::string problem = take_line(line, current, config);
    if (!problem.empty()) config.problems.push_back(fmt::format("{}:{}: {}", path, current.number, problem));
  }
  return config;
}

Config load_config(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  if (file) text << file.rdbuf();
  return parse_config(text.str(), path);
}

void apply_config(const Config& config, const std::string& program, LimitTexts& texts) {
  bool is_limited = false;
  for (const Option& option : kOptions)
    is_limited = is_limited || (option.is_limit && !(texts.*option.text).empty());
  for (const std::string& section : {program, std::string()}) {
    bool does_limit = false;
    for (const ConfigLine& line : config.lines) {
      const Option& option = *find_option(line.option);
      if (line.program != section || (option.is_limit && is_limited)) continue;
      std::string& text = texts.*option.text;
      if (text.empty()) text = line.value;
      does_limit = does_limit || option.is_limit;
    }
    is_limited = is_limited || does_limit;
  }
}

}  // namespace discnice::cli
