// SPDX-License-Identifier: MIT
#include "tools/discnice/cli/config_file.hpp"

#include <cerrno>
#include <cstdlib>
#include <sstream>

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include "toolbox/base/fd.hpp"

namespace discnice::cli {
namespace {

constexpr std::size_t kFileBytesMax = 1024UL * 1024;

const LimitOption* find_option(const std::string& name) {
  for (const LimitOption& option : limit_options()) {
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

// Never waits: a FIFO without a writer is read as an empty file. Returns an errno, or 0.
int read_file(const std::string& path, std::string& text) {
  const gray::base::ScopedFd fd(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (fd.get() < 0) return errno;
  text.resize(kFileBytesMax);
  std::size_t used = 0;
  while (used < text.size()) {
    const ssize_t length = read(fd.get(), text.data() + used, text.size() - used);
    if (length < 0 && errno != EINTR) return errno;
    if (length == 0) break;
    if (length > 0) used += static_cast<std::size_t>(length);
  }
  if (used == text.size()) return EFBIG;
  text.resize(used);
  return 0;
}

// Parses one line. Returns what is wrong with the line; an empty text when nothing is.
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
  const LimitOption* option = find_option(current.option);
  if (option == nullptr) return fmt::format("there is no option '{}'", current.option);
  if (current.value.empty()) return "the value is missing";
  for (const ConfigLine& before : config.lines) {
    if (before.program == current.program && before.option == current.option)
      return fmt::format("'{}' stands in line {} already", current.option, before.number);
  }
  std::string problem = judge_text(*option, current.value);
  if (!problem.empty()) return current.option + ": " + problem;
  config.lines.push_back(current);
  return "";
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
  config.path = path;
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
  Config unread;
  unread.path = path;
  struct stat status {};
  if (path.empty()) return unread;
  if (stat(path.c_str(), &status) != 0) {
    const bool is_hidden = errno == ENOENT || errno == ENOTDIR || errno == EACCES;
    unread.read_error = is_hidden ? 0 : errno;
    return unread;
  }
  std::string text;
  unread.read_error = read_file(path, text);
  return unread.read_error != 0 ? unread : parse_config(text, path);
}

std::string apply_config(const Config& config, const std::string& program, LimitTexts& texts) {
  std::string taken;
  bool is_limited = is_limit_given(texts);
  for (const std::string& section : {program, std::string()}) {
    bool does_limit = false;
    for (const ConfigLine& line : config.lines) {
      const LimitOption& option = *find_option(line.option);
      std::string& text = texts.*option.text;
      // A schedule limits the job at some times only. At other times the other limits apply. So a limit of the command line suppresses a schedule
      // of the file, but a schedule suppresses no limit.
      const bool is_of_limits = option.is_limit || option.text == &LimitTexts::schedule;
      if (line.program != section || (is_of_limits && is_limited) || !text.empty()) continue;
      text = line.value;
      does_limit = does_limit || option.is_limit;
      taken += fmt::format("{}{}:{}", taken.empty() ? "" : ", ", config.path, line.number);
    }
    is_limited = is_limited || does_limit;
  }
  return taken;
}

}  // namespace discnice::cli
