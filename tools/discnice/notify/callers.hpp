// SPDX-License-Identifier: MIT
// callers: finds out which process makes a reported call, and which file the call is about.
//
// The file is judged before anything is done with it that could wait for a process. The reason: a file system in user space may be served by a process of the job, whose own
// calls wait for discnice. What breaks it: a thread may have a table of descriptors of its own (unshare(2)). Then the file with the same number in its process is another file.
// The calls of such a thread go on at once.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include <sys/types.h>

#include "toolbox/base/fd.hpp"
#include "tools/discnice/job/job.hpp"
#include "tools/discnice/pace/exchange.hpp"
#include "tools/discnice/protocol/layout.hpp"

namespace discnice::notify {

struct Caller {
  pid_t pid = 0;
  gray::base::ScopedFd process;  // a pidfd
  bool serves_files = false;
  std::uint64_t judged_at_ns = 0;
};

/// A regular file on a disk of this machine.
struct CalledFile {
  protocol::Disk* disk = nullptr;  // null: it is none
  std::int64_t size_bytes = 0;
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
};

/// Only one thread may make calls.
class Callers {
 public:
  /// `exchange` knows which processes the pacer holds.
  Callers(guest::Job& job, pace::Exchange& exchange) : job_(job), exchange_(exchange) {}

  /// The process of that thread, if the pacer holds it and if it serves no file system; else null. Valid until the next call.
  const Caller* find(pid_t thread, std::uint64_t now_ns);

  /// The file that the thread has open under that number.
  CalledFile file_of(pid_t thread, int fd);

  /// The file that the caller has open there now. Not open if the kernel does not allow access to it.
  static gray::base::ScopedFd take_file(const Caller& caller, int fd);

  /// Whether it is still the same file: the process may have opened another one under the number meanwhile.
  static bool is_it(const gray::base::ScopedFd& taken, const CalledFile& file);

 private:
  void forget_ended();
  protocol::Disk* disk_of(pid_t thread, int fd, const std::string& path, std::uint64_t device);

  guest::Job& job_;
  pace::Exchange& exchange_;
  std::map<pid_t, pid_t> processes_;                // by thread
  std::map<pid_t, Caller> callers_;                 // by process
  std::map<std::uint64_t, protocol::Disk*> disks_;  // by device
};

}  // namespace discnice::notify
