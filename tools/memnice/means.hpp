// SPDX-License-Identifier: MIT
// means: the means by which a job is held to a limit of memory. The best means that this host allows this user is used.
//
//   group   a control group of the job's own. The kernel takes from its members, coldest pages first, whatever is above the limit: memory.high of version 2, which kills nobody; in version 1
//           memory.limit_in_bytes, with killing switched off
//   pause   the job can only stand still while memory is short
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace memnice {

enum class MeansKind { group, pause };

class Means {
 public:
  Means() = default;
  Means(const Means&) = delete;
  Means& operator=(const Means&) = delete;
  virtual ~Means() = default;

  [[nodiscard]] virtual MeansKind kind() const = 0;
  /// The name as people read it: "memory.high of /sys/fs/cgroup/...".
  [[nodiscard]] virtual std::string name() const = 0;
  /// Puts the process `pid` under this means: in the child before it executes the program, or for a process that runs already. Returns 0 or a negative errno. Async-signal-safe
  /// if `pid` is 0, the calling process.
  virtual int take_in(pid_t pid) = 0;
  /// Whether the caller must stop the job's processes by signals.
  [[nodiscard]] virtual bool stops_by_signals() const { return true; }

  /// How many bytes of memory the processes `pids` of the job have.
  [[nodiscard]] virtual std::uint64_t job_bytes(const std::vector<pid_t>& pids) const = 0;
  /// How long the job's own members have waited for memory, in microseconds. Empty if the kernel does not tell this time apart from that of other processes.
  [[nodiscard]] virtual std::optional<std::uint64_t> own_stall_us() const { return std::nullopt; }
  /// Whether the members get no memory and nothing can be taken from them. They then wait until another program gives some memory back.
  [[nodiscard]] virtual bool is_job_stuck() const { return false; }
  /// Limits the job to `limit_bytes` from now on; kUnlimited takes the limit away. The caller repeats the call as long as the limit is to hold.
  virtual void hold(std::uint64_t limit_bytes, const std::vector<pid_t>& pids) = 0;
  /// Freezes the job or lets it go on. Used only where stops_by_signals() is false.
  virtual void freeze(bool /*is_frozen*/) {}
  /// To be called when the job has ended, or goes on without memnice. Takes every limit away.
  virtual void end() = 0;
  /// The members now, if the kernel tells them. If this is empty, the caller finds the members by descent.
  [[nodiscard]] virtual std::optional<std::vector<pid_t>> members() const { return std::nullopt; }
};

/// Whether there is free swap space.
bool has_swap();

/// Makes a control group, or says why there can be none. Without swap, version 1 can take nothing from a job except the memory that it wants next. A job that wants more memory
/// than is left waits in its page faults, and fork(), open() and mmap() fail.
struct GroupTry {
  std::unique_ptr<Means> means;
  std::string problem;
};
GroupTry make_group(bool also_without_swap);

std::unique_ptr<Means> make_pause();

}  // namespace memnice
