// SPDX-License-Identifier: MIT
// coverage: whether a process of a job is held to its limit, by what can be seen from outside.
//
// Knowledge assumed: the kernel books disk bytes to a process (/proc/PID/io). The process's member settles them at each call that needs the disk, and
// at other calls every few milliseconds. Page faults move bytes of the disk, and none through system calls.
// Output observed: the two accounts, and the bytes that went through system calls.
// Inference drawn: suppose the kernel's account of a process grows, its member settles nothing, and the process reads or writes as
// much by system calls. Then it makes these calls past the library. Whether the library is mapped does not matter.
// What breaks it: a kernel that keeps no account. Then only what keeps the library from being loaded is seen. A process that for a long time maps files
// and reads pipes, without any call on a file, looks the same; it has no limit for that time either.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include <sys/types.h>

#include "tools/discnice/protocol/layout.hpp"

namespace discnice::processes {

/// More than this of the kernel's account that nobody settled is no lag of the last moments.
inline constexpr std::uint64_t kUnsettledBytesMax = UINT64_C(1) << 20;

/// What a job of so many processes may leave unsettled at its end: each may have flushed its streams after the library had left it.
constexpr std::uint64_t unsettled_bytes_max(std::uint64_t processes) {
  constexpr std::uint64_t kFlushedBytes = 16384;
  return kUnsettledBytesMax + processes * kFlushedBytes;
}

/// Whether our library is in a process and may work there, and if it is known not to, why. Neither, where that can't be known (yet).
struct Coverage {
  bool is_covered = false;
  std::string obstacle;
  bool is_wanted = false;  // whoever started it said that it is to be left alone
};

/// What the names of our libraries have in common: for who does not know which one a job was started with.
inline constexpr char kAnyLibrary[] = "libdiscnice";

/// By what the process is: its image, its user, who must be the caller's, its environment. `library` is the file name of what is preloaded.
Coverage coverage_of(pid_t pid, const std::string& library);

/// Whether somebody holds the process from outside, and has looked at it a moment ago.
bool is_held_from_outside(const protocol::Segment& segment, pid_t pid, const Coverage& coverage);

/// Whether the job was told to leave programs of that name alone.
bool is_left_alone(const protocol::Segment& segment, const std::string& name);

/// By what the processes of a job do, from one look to the next.
class AccountWatch {
 public:
  /// Why this process of the job is seen to run without a limit; empty when it is not.
  std::string look(const protocol::Segment& segment, pid_t pid);

  /// Forgets whoever was not looked at since the last call.
  void forget_others();

 private:
  // What system calls had moved when this settlement was first seen.
  struct Seen {
    std::uint64_t settled_at_ns = 0;
    std::uint64_t called_read_bytes = 0;
    std::uint64_t called_write_bytes = 0;
  };

  std::map<pid_t, Seen> before_;
  std::map<pid_t, Seen> now_;
};

}  // namespace discnice::processes
