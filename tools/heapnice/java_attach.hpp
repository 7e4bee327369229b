// SPDX-License-Identifier: MIT
// java_attach: sends commands to a running JVM of this user, over the socket that jcmd uses. No other JVM is started for this, because it would take memory when memory is
// scarce.
#pragma once

#include <cstdint>
#include <string>

#include "toolbox/base/fd.hpp"

namespace heapnice {

/// The connection to one JVM. No call here waits long: the JVM makes its socket, and answers, when it has time.
class JavaAttach {
 public:
  enum class State { opening, open, refused };

  explicit JavaAttach(int pid);
  ~JavaAttach();
  JavaAttach(const JavaAttach&) = delete;
  JavaAttach& operator=(const JavaAttach&) = delete;

  /// Asks the JVM for its socket, and checks whether the socket exists. Call this again while the connection is opening. It never sends a signal to a process that does not
  /// expect one, because that would end the process.
  State open();

  /// Why the connection was refused, as the end of a sentence.
  [[nodiscard]] const std::string& problem() const { return problem_; }

  /// Sends a command with its argument, and waits at most a second for the answer. Returns 0 and the text behind the status, or a negative errno.
  int ask(const std::string& command, const std::string& argument, const std::string& more,
          std::string& answer) const;

  /// Sends the command and does not wait. is_busy() is true until the answer has come.
  int start(const std::string& command, const std::string& argument);
  bool is_busy();

 private:
  [[nodiscard]] gray::base::ScopedFd connect_to() const;
  int send(int fd, const std::string& command, const std::string& argument, const std::string& more) const;

  int pid_;
  std::string own_number_;  // of the process, as it sees itself
  std::string file_;        // that asks for the socket, to be removed
  std::string problem_;
  std::uint64_t asked_ns_ = 0;
  gray::base::ScopedFd pending_;
};

}  // namespace heapnice
