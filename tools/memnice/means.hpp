// SPDX-License-Identifier: MIT
// means: by what a job is held to so much memory. The best one that this host allows this user is taken.
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
  /// For people: "memory.high of /sys/fs/cgroup/...".
  [[nodiscard]] virtual std::string name() const = 0;
  /// In the child, before it executes the program; or for a process that runs. 0 or a negative errno. Async-signal-safe for the calling process (0).
  virtual int take_in(pid_t pid) = 0;
  /// Whether stopping the job's processes is up to the caller.
  [[nodiscard]] virtual bool stops_by_signals() const { return true; }

  /// What the job has, in bytes, of these processes.
  [[nodiscard]] virtual std::uint64_t job_bytes(const std::vector<pid_t>& pids) const = 0;
  /// Time in which the job's own members waited for memory, in microseconds. Nothing: not told apart from others'.
  [[nodiscard]] virtual std::optional<std::uint64_t> own_stall_us() const { return std::nullopt; }
  /// Whether members get no memory, and nothing can be taken from them: they wait until somebody else gives some.
  [[nodiscard]] virtual bool is_job_stuck() const { return false; }
  /// Holds it to so much from now on; kUnlimited: to nothing. To be called again as long as it holds.
  virtual void hold(std::uint64_t limit_bytes, const std::vector<pid_t>& pids) = 0;
  /// Freezes or thaws, where stops_by_signals() is false.
  virtual void freeze(bool /*is_frozen*/) {}
  /// The job has ended, or goes on without us: no limit is left behind.
  virtual void end() = 0;
  /// Its members now, where the kernel tells; nothing: by descent.
  [[nodiscard]] virtual std::optional<std::vector<pid_t>> members() const { return std::nullopt; }
};

/// Whether there is room in swap.
bool has_swap();

/// A group, or why there can be none. Without swap version 1 has nothing to take from a job but what it wants next: a job that wants more than is left waits in its page faults, and fork(), open() and mmap() fail.
struct GroupTry {
  std::unique_ptr<Means> means;
  std::string problem;
};
GroupTry make_group(bool also_without_swap);

std::unique_ptr<Means> make_pause();

}  // namespace memnice
