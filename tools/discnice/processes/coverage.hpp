// SPDX-License-Identifier: MIT
// coverage: tells whether a process of a job is limited, as far as this is visible from outside.
//
// Knowledge assumed: the kernel charges disk bytes to a process (/proc/PID/io). The process's member settles them at each call that needs the disk, and at other
//   calls every few milliseconds. Page faults move bytes of the disk, but not through system calls.
// Output observed: the two accounts, and the bytes that went through system calls.
// Inference drawn: suppose that the kernel's account of a process grows, that its member settles nothing, and that the process reads or writes as much by system
//   calls. Then it makes these calls past the library. Whether the library is mapped does not matter.
// What breaks it: a kernel that keeps no account. Then only reasons that keep the library from being loaded are seen. A process that for a long time maps files and
//   reads pipes, without any call on a file, looks the same. Such a process also has no limit for that time.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include <sys/types.h>

#include "tools/discnice/protocol/layout.hpp"

namespace discnice::processes {

/// More unsettled bytes than this cannot be a delay of the last moments.
inline constexpr std::uint64_t kUnsettledBytesMax = UINT64_C(1) << 20;

/// The bytes that a job of this many processes may leave unsettled at its end. Each process may have flushed its streams after the library had left it.
constexpr std::uint64_t unsettled_bytes_max(std::uint64_t processes) {
  constexpr std::uint64_t kFlushedBytes = 16384;
  return kUnsettledBytesMax + processes * kFlushedBytes;
}

/// Whether the library is in a process and may work there. When it is known that the library cannot work there, `obstacle` says why. When nothing is known
/// (yet), is_covered is false and `obstacle` is empty.
struct Coverage {
  bool is_covered = false;
  std::string obstacle;
  bool is_wanted = false;  // the user who started it wanted it to be left alone
};

/// The common part of the names of the libraries, for callers that do not know with which one a job was started.
inline constexpr char kAnyLibrary[] = "libdiscnice";

/// Judges by the process's image, its user (who must be the caller's user) and its environment. `library` is the file name of the preloaded library.
Coverage coverage_of(pid_t pid, const std::string& library);

/// Whether a pacer holds the process from outside, and has looked at it a moment ago.
bool is_held_from_outside(const protocol::Segment& segment, pid_t pid, const Coverage& coverage);

/// Whether the job must leave programs of that name alone.
bool is_left_alone(const protocol::Segment& segment, const std::string& name);

/// Judges by the activity of the processes of a job between two looks.
class AccountWatch {
 public:
  /// Why this process of the job seems to run without a limit; empty when the process is limited.
  std::string look(const protocol::Segment& segment, pid_t pid);

  /// Forgets processes that were not looked at since the last call.
  void forget_others();

 private:
  // The bytes of system calls when this settlement was first seen.
  struct Seen {
    std::uint64_t settled_at_ns = 0;
    std::uint64_t called_read_bytes = 0;
    std::uint64_t called_write_bytes = 0;
  };

  std::map<pid_t, Seen> before_;
  std::map<pid_t, Seen> now_;
};

}  // namespace discnice::processes
