// SPDX-License-Identifier: MIT
// options: the command line of gb-run, checked.
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
  std::optional<std::string> mark;          // in place of {} and its kin
  std::string program;                      // the command's name without its folder
  std::string needs_file;                   // needs.hpp
  std::optional<std::uint64_t> known_need;  // the program's
  bool is_print = false;
};

/// Reads the command line. Returns nothing, or the exit status after saying what is wrong.
std::optional<int> read_options(int argc, char** argv, Options& options);

}  // namespace gb_run
