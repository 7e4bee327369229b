// SPDX-License-Identifier: MIT
// callers: finds out which process makes a shown call, and on which file the call works.
//
// A file is judged before any step that could wait for another process. A file system in user space may be served by a process of the job whose own calls wait for this program.
// What breaks it: a thread with a table of descriptors of its own (unshare(2)). The descriptor's number then means another file than in the rest of the
// process. Calls of such a thread are not held.
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
  protocol::Disk* disk = nullptr;  // null: it is no such file
  std::int64_t size_bytes = 0;
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
};

/// Only one thread may make calls.
class Callers {
 public:
  /// `exchange` knows which processes the pacer holds.
  Callers(guest::Job& job, pace::Exchange& exchange) : job_(job), exchange_(exchange) {}

  /// The process to which the thread belongs. Null if the pacer does not hold this process, or if the process serves a file system. The result is
  /// valid until the next call.
  const Caller* find(pid_t thread, std::uint64_t now_ns);

  /// The file that the thread has open as descriptor `fd`.
  CalledFile file_of(pid_t thread, int fd);

  /// Takes the file that the caller now has open as this descriptor. The result is not open when the kernel does not allow this.
  static gray::base::ScopedFd take_file(const Caller& caller, int fd);

  /// Whether the descriptor still has the file that was taken. The process may have put another file there meanwhile.
  static bool is_it(const gray::base::ScopedFd& taken, const CalledFile& file);

 private:
  void forget_ended();
  protocol::Disk* disk_of(pid_t thread, int fd, const std::string& path, std::uint64_t device);

  guest::Job& job_;
  pace::Exchange& exchange_;
  std::map<pid_t, pid_t> processes_;                // key: the thread
  std::map<pid_t, Caller> callers_;                 // key: the process
  std::map<std::uint64_t, protocol::Disk*> disks_;  // key: the device
};

}  // namespace discnice::notify
