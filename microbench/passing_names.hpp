// SPDX-License-Identifier: MIT
// passing_names: files and folders that have a name in the measured directory for a moment, and the removal of those that killed runs left.
//
// Nearly all files of a run have no name. A folder must have a name while files are made in it, and a file must have one if the file system does not support O_TMPFILE. Signals
// are held in that time, but SIGKILL cannot be held. After SIGKILL an empty folder or file stays, and the next run in that directory removes it. A folder is locked as long as
// its run lives, because several runs may measure the file system at once, for example in two containers, which do not see each other's turn (turn.hpp).
//
// Knowledge assumed: a lock of flock() ends with its holder, however the holder ends. What breaks it: a file system without such locks. There a left-over folder stays.
#pragma once

#include <string>

#include "microbench/interruption.hpp"
#include "toolbox/base/fd.hpp"

namespace microbench {

/// A pattern for mkdtemp() and mkostemp() in `directory`; remove_leftovers() recognises such names.
std::string passing_name(const std::string& directory);

/// A new, locked folder. The folder is removed at the end of this object's scope, and must be empty then. Signals are held as long as the folder exists.
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

/// Removes the leftovers of killed runs of this user in `directory`: empty files, and unlocked folders that hold nothing but empty files. A file or folder that
/// cannot be removed stays.
void remove_leftovers(const std::string& directory);

}  // namespace microbench
