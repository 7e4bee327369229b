// SPDX-License-Identifier: MIT
// coverage: decides whether a process of a job is held to its limit, from what can be seen from outside.
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

/// If more than this of the kernel's account is not settled, it is not merely a delay of the last moments.
inline constexpr std::uint64_t kUnsettledBytesMax = UINT64_C(1) << 20;

/// How much a job with this many processes may leave unsettled at its end. Each process may have flushed its streams after the library had left it.
constexpr std::uint64_t unsettled_bytes_max(std::uint64_t processes) {
  constexpr std::uint64_t kFlushedBytes = 16384;
  return kUnsettledBytesMax + processes * kFlushedBytes;
}

/// Whether our library is in a process and may work there, or the reason why it is known not to. Neither is set if this can't be known, or not yet.
struct Coverage {
  bool is_covered = false;
  std::string obstacle;
  bool is_wanted = false;  // whoever started it said that it is to be left alone
};

/// The common part of the names of our libraries, for a caller that does not know which library a job was started with.
inline constexpr char kAnyLibrary[] = "libdiscnice";

/// Judges by the properties of the process: its image, its user, which must be the caller's, and its environment. `library` is the file name of the preloaded library.
Coverage coverage_of(pid_t pid, const std::string& library);

/// Whether another process holds this one from outside, and has looked at it a moment ago.
bool is_held_from_outside(const protocol::Segment& segment, pid_t pid, const Coverage& coverage);

/// Whether the job was told to leave programs of that name alone.
bool is_left_alone(const protocol::Segment& segment, const std::string& name);

/// Judges by what the processes of a job do from one look to the next.
class AccountWatch {
 public:
  /// Why this process of the job seems to run without a limit; empty if it does not.
  std::string look(const protocol::Segment& segment, pid_t pid);

  /// Forgets all processes that were not looked at since the last call.
  void forget_others();

 private:
  // How many bytes system calls had moved when this settlement was first seen.
  struct Seen {
    std::uint64_t settled_at_ns = 0;
    std::uint64_t called_read_bytes = 0;
    std::uint64_t called_write_bytes = 0;
  };

  std::map<pid_t, Seen> before_;
  std::map<pid_t, Seen> now_;
};

}  // namespace discnice::processes
