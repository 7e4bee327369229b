// SPDX-License-Identifier: MIT
// marks: tells how far grep has come in its list of files, so that the output of each file can be separated from that of the next.
//
// Knowledge assumed: grep opens its files one after the other, and with --line-buffered all that it has to say of a file is written before it opens
// the next one. A program that opens a named pipe for reading waits until another one opens it for writing.
// Output observed: between files in grep's list stands such a pipe. gb-grep opens the pipe for writing. When this open returns, grep has come to the pipe.
// Inference drawn: what is written by then is of the files before.
// What breaks it: a grep that reads several files at once. GNU grep doesn't.
#pragma once

#include <atomic>
#include <string>
#include <thread>

#include <sys/types.h>

namespace gb_grep {

/// Two pipes are used by turns. So the pipe that grep comes to is never still open from the last time.
class Marks {
 public:
  Marks();
  ~Marks();
  Marks(const Marks&) = delete;
  Marks& operator=(const Marks&) = delete;

  [[nodiscard]] bool are_there() const { return fds_[0] >= 0 && fds_[1] >= 0; }

  /// The name of the mark with this number in grep's list. All names have the same length.
  [[nodiscard]] const char* name(std::size_t number) const { return names_[number % 2].c_str(); }

  /// Waits until grep has come to the mark with this number. False if grep has ended.
  [[nodiscard]] bool wait(std::size_t number) const;

  /// Lets grep go on from where wait() found it; grep finds the mark empty.
  void let_go() const;

  /// Sets the grep process for which the marks are. One at a time.
  void begin(pid_t grep);
  /// Waits until grep has ended; its status can still be read.
  void end();

 private:
  int fds_[2] = {-1, -1};
  std::string names_[2];
  mutable int open_ = -1;
  std::atomic<bool> has_ended_ = false;
  int readers_[2] = {-1, -1};
  std::thread watch_;
};

}  // namespace gb_grep
