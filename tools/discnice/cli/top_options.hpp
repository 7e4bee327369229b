// SPDX-License-Identifier: MIT
// top_options: the command line of `discnice top`, which the program discnice-top reads and discnice describes.
#pragma once

#include <optional>
#include <string>

namespace discnice::cli {

struct TopOptions {
  bool is_json = false;
  bool is_once = false;
  bool has_processes = false;
  std::string output;
};

/// Fills `options` and returns nothing, or prints what is wrong and returns the exit status. `columns` stands at the end of --help.
std::optional<int> read_top_options(int argc, char** argv, const std::string& columns, TopOptions& options);

}  // namespace discnice::cli
