// SPDX-License-Identifier: MIT
// means: the ways to limit a job's memory. memnice uses the best way that this host allows to this user.
//
//   group   a control group of the job's own. The kernel takes the memory above the limit from its members, coldest pages first: memory.high of version 2, which kills no
//   process; in version 1 memory.limit_in_bytes, with killing switched off
//   pause   the job can only be stopped while memory is short
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
  /// A name for messages: "memory.high of /sys/fs/cgroup/...".
  [[nodiscard]] virtual std::string name() const = 0;
  /// Takes a process into the job: in the child before it executes the program, or for a running process. 0 or a negative errno. The call is async-signal-safe
  /// when it is for the calling process (pid 0).
  virtual int take_in(pid_t pid) = 0;
  /// Whether the caller must stop the job's processes by signals.
  [[nodiscard]] virtual bool stops_by_signals() const { return true; }

  /// The memory of the job in bytes. `pids` are the job's processes.
  [[nodiscard]] virtual std::uint64_t job_bytes(const std::vector<pid_t>& pids) const = 0;
  /// Time in which members of the job waited for memory, in microseconds. No value if this time cannot be told apart from the waiting time of other
  /// programs.
  [[nodiscard]] virtual std::optional<std::uint64_t> own_stall_us() const { return std::nullopt; }
  /// Whether members of the job get no memory, and no memory can be taken from them, so that they wait until other programs give some back.
  [[nodiscard]] virtual bool is_job_stuck() const { return false; }
  /// Limits the job to `limit_bytes` from now on; kUnlimited: no limit. Call it again in each step while the limit holds.
  virtual void hold(std::uint64_t limit_bytes, const std::vector<pid_t>& pids) = 0;
  /// Freezes or thaws the job. This function is used only if stops_by_signals() is false.
  virtual void freeze(bool /*is_frozen*/) {}
  /// Called when the job has ended, or continues without memnice: removes all limits.
  virtual void end() = 0;
  /// The job's present members, if the kernel tells them. No value: they are found by descent.
  [[nodiscard]] virtual std::optional<std::vector<pid_t>> members() const { return std::nullopt; }
};

/// Whether swap has free room.
bool has_swap();

/// A group, or the reason why there can be none. Without swap, version 1 cannot take memory from a job. It can only refuse to give the job more. A job that
/// needs more memory than is free waits in its page faults, and its fork(), open() and mmap() fail.
struct GroupTry {
  std::unique_ptr<Means> means;
  std::string problem;
};
GroupTry make_group(bool also_without_swap);

std::unique_ptr<Means> make_pause();

}  // namespace memnice
