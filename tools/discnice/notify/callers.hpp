// SPDX-License-Identifier: MIT
// callers: who makes the calls that are shown, and which file they are about.
//
// A file is judged before anything is done with it that could wait for somebody: a file system in user space may be served by a process of the job, whose own calls wait for us.
// What breaks it: a file of a thread that has a table of descriptors of its own (unshare(2)): its process's file of that number is another one. Its calls go at once.
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

/// One thread makes all calls.
class Callers {
 public:
  /// `exchange` knows whom the pacer holds.
  Callers(guest::Job& job, pace::Exchange& exchange) : job_(job), exchange_(exchange) {}

  /// The process of that thread, if the pacer holds it and it serves no file system; else null. Stays until the next call.
  const Caller* find(pid_t thread, std::uint64_t now_ns);

  /// What the thread has open under that number.
  CalledFile file_of(pid_t thread, int fd);

  /// What the caller has open there by now. Not open where the kernel does not let us have it.
  static gray::base::ScopedFd take_file(const Caller& caller, int fd);

  /// Whether that is the file still: the process may have put another one there meanwhile.
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
