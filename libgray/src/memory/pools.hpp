// SPDX-License-Identifier: MIT
// pools: how much memory the host's accounts leave to this process. This is the ceiling for the probe.
//
// Knowledge assumed: every control group from this process's group up to the root may have a limit, of version 1 or 2. The memory that a group uses includes clean file pages,
// which the kernel gives up before it pages out any process. The host as a whole is one more pool (MemAvailable). A process has limits of its own (RLIMIT_AS, RLIMIT_DATA), and a
// host that does not overcommit has a limit on committed memory.
// Output observed: the text files of /proc and of the control groups. No single file is relied on: a value that cannot be read or is impossible is left out,
// and a use above the limit means no free memory.
// Inference drawn: the free memory in each pool (its room). The least of these is the ceiling.
// What breaks it: limits that no file shows (a hypervisor's balloon, a namespace that hides the ancestors);
// caches that the kernel cannot drop although it counts them as droppable. The probe exists for these cases.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gray::memory {

/// How much of the page cache may be taken. Numbered as in gray/alloc.h.
enum class CachePolicy : std::uint32_t {
  share = 0,  // the inactive file pages and half of the active ones
  keep = 1,   // none
  steal = 2,  // all of it
};

/// The kind of a limit.
enum class PoolKind : std::uint32_t { host, group, address_space, data_segment, commitment };

/// A pool from which memory comes. The margin is already subtracted from room_bytes, which may be below zero.
struct Pool {
  PoolKind kind = PoolKind::host;
  std::int64_t room_bytes = 0;
  std::uint64_t margin_bytes = 0;
  std::uint64_t capacity_bytes = 0;  // the room if no process held memory
  std::string name;
  std::string path;          // the path of a group, as in /proc/PID/cgroup
  bool is_use_known = true;  // false: the use is not known, and room_bytes is the most that is possible
};

/// Counters that grow while the kernel takes memory from processes. They are the counters of the tightest group, or else the
/// counters of the host.
struct PagingCounters {
  std::uint64_t swapped_bytes = 0;       // a level, not a sum
  std::uint64_t refaults_anonymous = 0;  // pages that were swapped out and needed again
  std::uint64_t refaults_file = 0;       // cached pages that were dropped and needed again
  std::uint64_t stall_us = 0;            // time in which at least one task waited for memory (PSI)
  bool has_stall = false;
  // A process in another group may change them while there is enough memory elsewhere.
  bool is_of_host = false;
};

struct PoolOptions {
  CachePolicy cache = CachePolicy::share;
  std::uint64_t margin_bytes = 0;  // kept free in each shared pool; 0: the amounts of the functions below
  bool has_files = false;          // the caller also works on files, so files_margin_bytes() applies
};

/// All holders of returnable memory use these options to decide whether a waiting process can be served. They do not use their own options, so that all compute
/// the same division.
inline constexpr PoolOptions kCommonAccount{};

/// The default margin that stays free below a limit: a 32nd of the limit, at least 4 MiB and at most 256 MiB. Without swap it is twice that, because there the kernel kills a
/// process that exceeds the limit.
std::uint64_t default_margin_bytes(std::uint64_t limit_bytes, bool has_swap);

/// The margin for a caller that reads and writes files through the page cache: a quarter of the limit, at most 1 GiB. With a smaller margin, pages of files
/// cause anonymous memory to be paged out.
std::uint64_t files_margin_bytes(std::uint64_t limit_bytes);

/// The memory accounts of this host. The constructor finds the files; each call reads them again. One thread at a time.
class HostAccounts {
 public:
  /// `root` is put before each path: "" for the real host, a folder for tests. `process` is the process whose control groups are read: "self" or a number.
  explicit HostAccounts(std::string root = "", const std::string& process = "self");

  /// The pools that are shared with others: the host, and each control group that has a limit.
  [[nodiscard]] std::vector<Pool> shared_pools(const PoolOptions& options) const;

  /// The limits of this process alone. The memory that it has mapped already is subtracted.
  [[nodiscard]] std::vector<Pool> own_pools() const;

  [[nodiscard]] PagingCounters paging_counters() const;

  /// How often the kernel has scanned memory in order to reclaim pages. Grows by one when the kernel has scanned as much as the host's memory, or as much as a
  /// control group of this process uses. 0 where this is not known.
  [[nodiscard]] double reclaim_rounds() const;

  /// The path of the file of this name in the process's group or in its nearest ancestor that has the file; empty if there is none.
  [[nodiscard]] std::string group_file(const std::string& name) const;

  /// The files with the limits of this process's groups, for callers that watch them for changes.
  [[nodiscard]] std::vector<std::string> limit_files() const;

  /// Whether the kernel kills all processes of a control group of this process when it has to kill one of them (memory.oom.group).
  [[nodiscard]] bool is_killed_whole() const;

  [[nodiscard]] bool is_version_2() const { return is_version_2_; }

 private:
  struct Group {
    std::string folder;
    std::string path;  // as in Pool
  };

  void find_groups(const std::string& process);
  [[nodiscard]] std::uint64_t limit_of(const Group& group) const;
  [[nodiscard]] bool read_group(const Group& group, const PoolOptions& options, bool has_swap,
                                Pool& pool) const;
  [[nodiscard]] bool has_swap() const;

  std::string root_;
  bool is_version_2_ = false;
  bool has_swap_ = false;      // read once, in the constructor, for the margin
  std::vector<Group> groups_;  // this process's group first, then its ancestors
};

/// Whether a process whose /proc/PID/cgroup has this content draws on the pool. Pure.
bool draws_on(std::string_view cgroup_text, const Pool& pool);

/// Whether the accounts show the room of the host, and the use of each limited group. If not, the least room of these pools is only an upper bound. Pure.
bool is_room_known(const std::vector<Pool>& pools);

}  // namespace gray::memory
