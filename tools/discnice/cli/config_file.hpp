// SPDX-License-Identifier: MIT
// config_file: a person's own defaults in ~/.config/discnice/config. Each line is "option = value", with the options of the command line.
//
//   # the defaults of all programs
//   policy = nice
//   smooth-writes = auto
//   [rsync]              # the defaults of this program
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
  std::string program;  // empty: the line holds for all programs
  std::string option;
  std::string value;
};

struct Config {
  std::string path;
  std::vector<ConfigLine> lines;
  std::vector<std::string> problems;  // "FILE:LINE: what is wrong"; a file with any problem is not used
  int read_error = 0;                 // an errno when the file is there and cannot be read
};

/// Returns $XDG_CONFIG_HOME/discnice/config or ~/.config/discnice/config; an empty text when neither variable is set.
std::string config_path();

/// Parses a text in that form. `path` names the file in the problems. Pure.
Config parse_config(const std::string& text, const std::string& path);

/// Reads and parses a file. A file that does not exist, or that lies in a folder which this user may not open, counts as empty.
Config load_config(const std::string& path);

/// Fills in the settings that the command line does not give: first from the lines for `program`, then from the lines for all programs. The
/// limits are taken as a whole: when the command line names a policy or a rate, no limit comes from the file. Returns the lines that were taken,
/// as "FILE:LINE".
std::string apply_config(const Config& config, const std::string& program, LimitTexts& texts);

}  // namespace discnice::cli
