// SPDX-License-Identifier: MIT
// marks: tells how far grep has come in its list of files, so that the output for each file can be told from the output for the next file.
//
// Knowledge assumed: grep opens its files one after the other, and with --line-buffered all output for a file is written before grep opens the next file. A process that opens a
// named pipe for reading waits until another process opens it for writing.
// Output observed: there is such a pipe between files in grep's list. When gb-grep's open for writing returns, grep has come to that pipe.
// Inference drawn: all output that is written by then is for the files before the pipe.
// What breaks it: a grep that reads several files at once. GNU grep does not do that.
#pragma once

#include <atomic>
#include <string>
#include <thread>

#include <sys/types.h>

namespace gb_grep {

/// Uses two pipes by turns. So the pipe that grep opens next is never still open from the time before.
class Marks {
 public:
  Marks();
  ~Marks();
  Marks(const Marks&) = delete;
  Marks& operator=(const Marks&) = delete;

  [[nodiscard]] bool are_there() const { return fds_[0] >= 0 && fds_[1] >= 0; }

  /// The name of the mark with this number in grep's list. All names have the same length.
  [[nodiscard]] const char* name(std::size_t number) const { return names_[number % 2].c_str(); }

  /// Waits until grep has come to mark `number`. False: grep has ended.
  [[nodiscard]] bool wait(std::size_t number) const;

  /// Lets grep continue from the mark at which wait() found it. grep reads the mark as an empty file.
  void let_go() const;

  /// Begins to serve this grep. One grep at a time.
  void begin(pid_t grep);
  /// Waits until that grep has ended. Its status is still to be collected by wait_for().
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
