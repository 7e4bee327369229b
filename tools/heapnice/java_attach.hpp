// SPDX-License-Identifier: MIT
// java_attach: sends orders to a running JVM of this user, by the socket that jcmd uses. It does not start jcmd, which is a JVM itself and would take memory when memory is short.
#pragma once

#include <cstdint>
#include <string>

#include "toolbox/base/fd.hpp"

namespace heapnice {

/// The connection to one JVM. No call waits long, although the JVM may take long to make its socket and to answer.
class JavaAttach {
 public:
  enum class State { opening, open, refused };

  explicit JavaAttach(int pid);
  ~JavaAttach();
  JavaAttach(const JavaAttach&) = delete;
  JavaAttach& operator=(const JavaAttach&) = delete;

  /// Asks the JVM for its socket, and checks whether the socket exists. Call it again while the state is `opening`. Never sends the signal to a process that does not handle it,
  /// because that would end the process.
  State open();

  /// The reason for `refused`, as the end of a sentence.
  [[nodiscard]] const std::string& problem() const { return problem_; }

  /// Sends a command with its argument, and waits for the answer, a second at most. Returns 0 and the text behind the status in `answer`, or a negative errno.
  int ask(const std::string& command, const std::string& argument, const std::string& more,
          std::string& answer) const;

  /// Sends a command and does not wait. is_busy() is true until the answer has come.
  int start(const std::string& command, const std::string& argument);
  bool is_busy();

 private:
  [[nodiscard]] gray::base::ScopedFd connect_to() const;
  int send(int fd, const std::string& command, const std::string& argument, const std::string& more) const;

  int pid_;
  std::string own_number_;  // the process number of the JVM in its own PID namespace
  std::string file_;        // the file that asks for the socket; the destructor removes it
  std::string problem_;
  std::uint64_t asked_ns_ = 0;
  gray::base::ScopedFd pending_;
};

}  // namespace heapnice
