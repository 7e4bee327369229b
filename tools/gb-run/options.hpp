// SPDX-License-Identifier: MIT
// options: reads and checks the command line of gb-run.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "libgray/src/memory/allocator.hpp"

namespace gb_run {

struct Options {
  gray::memory::Request request;
  std::vector<std::string> variables;
  std::vector<std::string> command;
  std::optional<std::string> mark;          // the mark of the user instead of {}, {b}, {m} and {n}
  std::string program;                      // the command's name without its folder
  std::string needs_file;                   // needs.hpp
  std::optional<std::uint64_t> known_need;  // the need of the program
  bool is_print = false;
};

/// Reads the command line. Returns nothing, or prints what is wrong and returns the exit status.
std::optional<int> read_options(int argc, char** argv, Options& options);

}  // namespace gb_run
