// SPDX-License-Identifier: MIT
// marks: tells how far grep has come in its list of files, so that each file's output is known from the next one's.
//
// Knowledge assumed: grep opens its files one after the other, and with --line-buffered all that it has to say of a file is written before it opens
// the next one. Who opens a pipe with a name to read waits until somebody opens it to write.
// Output observed: between files in grep's list stands such a pipe. When ours, which opens it to write, goes on, grep has come to it.
// Inference drawn: what is written by then is of the files before.
// What breaks it: a grep that reads several files at once. GNU grep doesn't.
#pragma once

#include <atomic>
#include <string>
#include <thread>

#include <sys/types.h>

namespace gb_grep {

/// Two pipes in turn, so that the one grep comes to is never still open from the last time.
class Marks {
 public:
  Marks();
  ~Marks();
  Marks(const Marks&) = delete;
  Marks& operator=(const Marks&) = delete;

  [[nodiscard]] bool are_there() const { return fds_[0] >= 0 && fds_[1] >= 0; }

  /// The name of mark number `number` in grep's list; all names are of one length.
  [[nodiscard]] const char* name(std::size_t number) const { return names_[number % 2].c_str(); }

  /// Waits until grep has come to mark `number`. False: it has ended.
  [[nodiscard]] bool wait(std::size_t number) const;

  /// grep goes on from where wait() found it; it finds the mark empty.
  void let_go() const;

  /// Whom the marks are for. One at a time.
  void begin(pid_t grep);
  /// Waits until it has ended; its status is left to be taken.
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
