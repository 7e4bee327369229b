// SPDX-License-Identifier: MIT
// globs: decides which files and folders --include, --exclude and --exclude-dir leave out, as grep's manual says. Pure.
//
// grep itself judges only names: for a name that it finds below a folder it matches the last part, for a name that it is given any tail. gb-grep gives it the names that gb-grep
// has found.
#pragma once

#include <string>
#include <vector>

namespace gb_grep {

class Globs {
 public:
  void add(std::string glob, bool is_included);

  /// For a name that was found: its last part decides.
  [[nodiscard]] bool leave_out_found(const char* last_part) const;

  /// For a name on the command line: the whole name decides, or any part of it that follows a slash and reaches to its end.
  [[nodiscard]] bool leave_out_named(const char* name) const;

 private:
  struct Glob {
    std::string text;
    bool is_included;
  };

  // The last matching glob decides. If none matches, everything is searched, unless the first glob is an --include.
  template <typename Matches>
  [[nodiscard]] bool leave_out(const Matches& matches) const;

  std::vector<Glob> globs_;
};

}  // namespace gb_grep
