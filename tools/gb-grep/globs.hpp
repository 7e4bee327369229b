// SPDX-License-Identifier: MIT
// globs: which files and folders --include, --exclude and --exclude-dir leave out, as grep's manual says. Pure.
//
// grep itself judges only the names that it is given: of what it finds below a folder it matches the last part, of what it is given any tail. We
// give it what was found.
#pragma once

#include <string>
#include <vector>

namespace gb_grep {

class Globs {
 public:
  void add(std::string glob, bool is_included);

  /// Of what was found: its last part decides.
  [[nodiscard]] bool leave_out_found(const char* last_part) const;

  /// Of what was named on the command line: the name decides, or any part of it that follows a slash and goes on to its end.
  [[nodiscard]] bool leave_out_named(const char* name) const;

 private:
  struct Glob {
    std::string text;
    bool is_included;
  };

  // The last glob that matches decides; where none does, all is searched unless the first one is to be included.
  template <typename Matches>
  [[nodiscard]] bool leave_out(const Matches& matches) const;

  std::vector<Glob> globs_;
};

}  // namespace gb_grep
