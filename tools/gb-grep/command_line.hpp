// SPDX-License-Identifier: MIT
// command_line: reads the parts of grep's command line that are needed to run grep over the same files in another order: where the options end, and the options that choose
// files. All other options go to grep unchanged.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/gb-grep/globs.hpp"

namespace gb_grep {

struct CommandLine {
  std::vector<std::string>
      words;  // the options for grep, without --sorted and without those that the globs hold
  std::optional<std::string> pattern;  // the pattern, if it is an argument of its own
  std::vector<const char*> files;      // the files, as given
  std::vector<std::string>
      separator_words;  // the part of `words` that says how groups of lines are separated
  bool is_sorted = false;
  bool is_recursive = false;
  bool follows_links = false;         // -R
  bool skips_devices = false;         // -D skip
  bool reads_devices = false;         // -D read: also devices that are found with -r
  bool is_quiet = false;              // -q
  bool is_silent = false;             // -s
  bool prints_lines = true;           // grep prints lines, not only names or counts
  bool has_context = false;           // grep also prints lines around matching lines
  bool is_color_by_terminal = false;  // --color=auto
  Globs file_globs;
  Globs folder_globs;
};

/// The action of gb-grep for this command line.
enum class Way {
  order,       // run grep over the ordered files
  plain_grep,  // run plain grep: it reports the mistake, or has no files to order
  usage,       // unknown option; `unknown` names it
  help,
  version,
};

struct Reading {
  Way way = Way::order;
  std::string unknown;
  CommandLine line;
  std::vector<std::string> plain;  // the whole command line without --sorted, for plain grep
};

/// Reads the command line in the same way as grep: options may follow names, and long options may be abbreviated. May read files (--exclude-from). A list of patterns that can be
/// read only once (-f -, -f <(...)) is replaced in `words` by a copy in memory, which stays open until the program ends.
Reading read_command_line(int argc, char** argv);

}  // namespace gb_grep
