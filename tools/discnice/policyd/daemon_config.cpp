// SPDX-License-Identifier: MIT
#include "tools/discnice/policyd/daemon_config.hpp"

#include <cerrno>
#include <fstream>
#include <sstream>

#include <fmt/core.h>

#include "toolbox/cli/diagnostics.hpp"
#include "toolbox/cli/quantities.hpp"

namespace discnice::policyd {
namespace {

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(" \t\r");
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

std::string take_total(const std::string& value, DaemonConfig& config) {
  const auto reading = gray::cli::read_rate_bytes_per_s(value);
  if (reading.is_ok()) config.total_bytes_per_s = reading.value;
  return reading.problem;
}

std::string take_tick(const std::string& value, DaemonConfig& config) {
  const auto reading = gray::cli::read_duration_ns(value);
  if (!reading.is_ok()) return reading.problem;
  if (reading.value < kTickMinNs || reading.value > kTickMaxNs)
    return fmt::format("'{}' is not within 10ms and 500ms", value);
  config.tick_ns = reading.value;
  return "";
}

std::string take_line(const std::string& line, DaemonConfig& config) {
  const auto equals = line.find('=');
  if (equals == std::string::npos) return "this is no 'option = value'";
  const std::string option = trimmed(line.substr(0, equals));
  const std::string value = trimmed(line.substr(equals + 1));
  if (option == "total") return take_total(value, config);
  if (option == "tick") return take_tick(value, config);
  return fmt::format("there is no option '{}': there are total and tick", option);
}

}  // namespace

DaemonConfig parse_daemon_config(const std::string& text, const std::string& path) {
  DaemonConfig config;
  std::istringstream lines(text);
  unsigned number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    line = trimmed(line.substr(0, line.find('#')));
    if (line.empty()) continue;
    const std::string problem = take_line(line, config);
    if (!problem.empty()) config.problems.push_back(fmt::format("{}:{}: {}", path, number, problem));
  }
  return config;
}

DaemonConfig load_daemon_config(const std::string& path, bool must_exist) {
  std::ifstream file(path);
  if (!file) {
    DaemonConfig config;
    if (must_exist)
      config.problems.push_back(fmt::format("cannot read '{}': {}", path, gray::cli::error_text(errno)));
    return config;
  }
  std::ostringstream text;
  text << file.rdbuf();
  return parse_daemon_config(text.str(), path);
}

}  // namespace discnice::policyd
