// SPDX-License-Identifier: MIT
// callers: who makes the calls that are shown: from a thread's number to its process and that one's open files.
//
// What breaks it: a thread that has a table of descriptors of its own, apart from its process's (unshare(2)). Then another file is looked at, and its call goes on at once or a
//   little late; what it moves the kernel's account shows.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include <sys/types.h>

#include "toolbox/base/fd.hpp"
#include "tools/discnice/protocol/layout.hpp"

namespace discnice::notify {

struct Caller {
  pid_t pid = 0;
  gray::base::ScopedFd process;  // a pidfd
  bool is_ours = false;          // neither the library holds it, nor is it to be left alone
  std::uint64_t judged_at_ns = 0;
};

/// One thread makes all calls.
class Callers {
 public:
  /// `preloaded_name`: the file name of the library that holds some of them.
  Callers(const protocol::Segment& segment, std::string preloaded_name);

  /// The process of that thread, if its calls are ours to hold; else null. Stays until the next call.
  const Caller* find(pid_t thread, std::uint64_t now_ns);

  /// The open file itself that the caller has under that number. Not open where the kernel does not let us have it.
  static gray::base::ScopedFd file_of(const Caller& caller, int fd);

 private:
  void judge(Caller& caller, std::uint64_t now_ns) const;
  void forget_ended();

  const protocol::Segment& segment_;
  std::string preloaded_name_;
  std::map<pid_t, pid_t> processes_;  // by thread
  std::map<pid_t, Caller> callers_;   // by process
};

}  // namespace discnice::notify
