// SPDX-License-Identifier: MIT
// java_attach: sends orders to a running JVM of this user, by the socket that jcmd uses. It does not start jcmd, which is a JVM itself and would take memory when memory is short.
#pragma once

#include <cstdint>
#include <string>

#include "toolbox/base/fd.hpp"

namespace heapnice {

/// The connection to one JVM. No call waits for long, although the JVM may need long to make its socket and to answer.
class JavaAttach {
 public:
  enum class State { opening, open, refused };

  explicit JavaAttach(int pid);
  ~JavaAttach();
  JavaAttach(const JavaAttach&) = delete;
  JavaAttach& operator=(const JavaAttach&) = delete;

  /// Asks the JVM for its socket, and checks whether the socket exists. Call it again while the result is `opening`, and only for a JVM
  /// that takes orders (does_take_orders()). It never sends the signal to a process without a handler for it, because the signal would
  /// end this process. It never sends the signal to a JVM that would not find the file, because this JVM would print a thread dump.
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
  [[nodiscard]] bool has_ended() const;
  State refuse(const std::string& problem);
  std::string make_file();
  void remove_file();
  int send(int fd, const std::string& command, const std::string& argument, const std::string& more) const;

  int pid_;
  std::string own_number_;       // of the process, as it sees itself
  std::string file_name_;        // of the file that asks for the socket
  gray::base::ScopedFd folder_;  // in which that file is
  bool is_file_there_ = false;
  std::string problem_;
  std::uint64_t asked_ns_ = 0;
  gray::base::ScopedFd pending_;
};

}  // namespace heapnice
