// SPDX-License-Identifier: MIT
#include "tools/gbp/inputs.hpp"

#include <cerrno>
#include <fstream>
#include <iostream>

#include <fmt/core.h>

#include "toolbox/cli/diagnostics.hpp"

namespace gbp {
namespace {

std::string read_stream(std::istream& stream, const std::string& shown, char separator, Names& names) {
  std::string name;
  while (std::getline(stream, name, separator)) {
    if (name.empty() && separator == '\n') continue;
    if (name.empty())
      return fmt::format("'{}' holds an empty name: separate names by one NUL each, as find -print0 does",
                         shown);
    if (name.find('\0') != std::string::npos)
      return fmt::format("'{}' holds NUL bytes: read it with --files0-from", shown);
    names.add(name);
  }
  return stream.bad() ? fmt::format("cannot read '{}'", shown) : "";
}

}  // namespace

std::string read_names(const std::string& list_path, char separator, Names& names) {
  if (list_path == "-") return read_stream(std::cin, "standard input", separator, names);
  errno = 0;
  std::ifstream file(list_path, std::ios::binary);
  if (!file) return fmt::format("cannot read '{}': {}", list_path, gray::cli::error_text(errno));
  return read_stream(file, list_path, separator, names);
}

}  // namespace gbp
