// SPDX-License-Identifier: MIT
// globs: decides which files and folders --include, --exclude and --exclude-dir leave out, by grep's manual. Pure.
//
// grep matches the last part of a name that it finds below a folder, and any tail of a name on its command line. gb-grep puts found names on grep's command line, so grep could
// not tell the two apart. Therefore gb-grep applies the globs itself.
#pragma once

#include <string>
#include <vector>

namespace gb_grep {

class Globs {
 public:
  void add(std::string glob, bool is_included);

  /// For a name that was found below a folder. The last part of the name decides.
  [[nodiscard]] bool leave_out_found(const char* last_part) const;

  /// For a name on the command line. The whole name decides, or any tail of the name that follows a slash.
  [[nodiscard]] bool leave_out_named(const char* name) const;

 private:
  struct Glob {
    std::string text;
    bool is_included;
  };

  // The last matching glob decides. If no glob matches, the file is searched, unless the first glob is one of --include.
  template <typename Matches>
  [[nodiscard]] bool leave_out(const Matches& matches) const;

  std::vector<Glob> globs_;
};

}  // namespace gb_grep
