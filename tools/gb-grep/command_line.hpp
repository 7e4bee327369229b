// SPDX-License-Identifier: MIT
// command_line: the part of grep's command line that must be understood to run grep over the same files in another order: where its options end, and the options that choose
// files. All other options go to grep unchanged.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/gb-grep/globs.hpp"

namespace gb_grep {

struct CommandLine {
  std::vector<std::string>
      words;  // the options, as grep shall get them; neither --sorted nor those that globs hold
  std::optional<std::string> pattern;        // where it is an argument of its own
  std::vector<const char*> files;            // as given
  std::vector<std::string> separator_words;  // of `words` those that say how groups of lines are divided
  bool is_sorted = false;
  bool is_recursive = false;
  bool follows_links = false;         // -R
  bool skips_devices = false;         // -D skip
  bool reads_devices = false;         // -D read: also with -r those that are found
  bool is_quiet = false;              // -q
  bool is_silent = false;             // -s
  bool prints_lines = true;           // not only names or counts
  bool has_context = false;           // lines around those that match
  bool is_color_by_terminal = false;  // --color=auto
  Globs file_globs;
  Globs folder_globs;
};

/// What to do if the command line cannot be understood.
enum class Way {
  order,       // go on
  plain_grep,  // grep alone: it finds the mistake, or has no files to order
  usage,       // an option that is not known; `unknown` names it
  help,
  version,
};

struct Reading {
  Way way = Way::order;
  std::string unknown;
  CommandLine line;
  std::vector<std::string> plain;  // all of it without --sorted, for plain grep
};

/// Reads the command line as grep does: options may stand behind names, and long options may be abbreviated. May read files (--exclude-from). A list of patterns that can be read
/// only once (-f -, -f <(...)) is replaced in `words` by a copy in memory, which stays open until the program ends.
Reading read_command_line(int argc, char** argv);

}  // namespace gb_grep
