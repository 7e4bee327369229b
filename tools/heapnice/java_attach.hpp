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

  /// Asks the JVM for its socket, and looks whether it is there. Call it again while it is opening, and only for a JVM that takes orders
  /// (does_take_orders()). Never sends the signal to a process that does not await it, for that would end it, nor to a JVM that would
  /// not find our file, for that would print a thread dump into its output.
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
