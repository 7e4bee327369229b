// SPDX-License-Identifier: MIT
// passing_names: what has a name in the measured directory for a moment, and the removal of what killed runs left.
//
// Nearly all that a run makes has no name. A folder must have one while files are made in it, and so must a file where the file system
// knows no O_TMPFILE. Signals are held meanwhile, but SIGKILL cannot be. Then an empty folder or file stays, and the next run in that
// directory removes it. A folder is locked as long as its run lives, because the file system may be measured by several runs at once: by
// two containers, say, which do not see each other's turn (turn.hpp).
//
// Knowledge assumed: a lock of flock() is gone with its holder, however that ends. What breaks it: a file system without such locks. There
// a folder that was left stays.
#pragma once

#include <string>

#include "microbench/interruption.hpp"
#include "toolbox/base/fd.hpp"

namespace microbench {

/// A pattern for mkdtemp() and mkostemp() in `directory`; remove_leftovers() knows what is named so.
std::string passing_name(const std::string& directory);

/// A new, locked folder. It is removed at the end of its scope, and must be empty then. Signals are held as long as it is there.
class PassingFolder {
 public:
  /// Throws NotAvailable with the reason.
  explicit PassingFolder(const std::string& directory);
  ~PassingFolder();
  PassingFolder(const PassingFolder&) = delete;
  PassingFolder& operator=(const PassingFolder&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  SignalsHeld held_;
  std::string path_;
  gray::base::ScopedFd lock_;
};

/// Removes what killed runs of this user left in `directory`: empty files, and folders that nobody has locked and that hold nothing but
/// empty files. What cannot be removed stays.
void remove_leftovers(const std::string& directory);

}  // namespace microbench
