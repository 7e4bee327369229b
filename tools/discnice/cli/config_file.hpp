// SPDX-License-Identifier: MIT
// config_file: a person's own defaults, ~/.config/discnice/config: lines of "option = value", as on the command line.
//
//   # what holds when nothing else is said
//   policy = nice
//   smooth-writes = auto
//   [rsync]              # and for this program
//   rate = 20M
//   [syncthing]
//   schedule = Mon-Fri 09:00-18:00 pause, else nice
#pragma once

#include <string>
#include <vector>

#include "tools/discnice/cli/limit_options.hpp"

namespace discnice::cli {

struct ConfigLine {
  unsigned number = 0;
  std::string program;  // empty: for all
  std::string option;
  std::string value;
};

struct Config {
  std::string path;
  std::vector<ConfigLine> lines;
  std::vector<std::string>
      problems;        // "FILE:LINE: what is wrong"; a file with any of them is not to be gone by
  int read_error = 0;  // an errno: the file is there and cannot be read
};

/// $XDG_CONFIG_HOME/discnice/config or ~/.config/discnice/config; empty when neither variable is set.
std::string config_path();

/// Reads a text in that form; `path` is for the problems. Pure.
Config parse_config(const std::string& text, const std::string& path);

/// The same from a file; one that is not there, or lies where this user may not look, is an empty one.
Config load_config(const std::string& path);

/// Fills in what the command line left open, for `program` first and then for all. What limits the job is taken as a whole: a command
/// line that names a policy or a rate takes none of them from the file. Returns the lines that were taken, as "FILE:LINE".
std::string apply_config(const Config& config, const std::string& program, LimitTexts& texts);

}  // namespace discnice::cli
