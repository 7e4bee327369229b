// SPDX-License-Identifier: MIT
// pools: how much memory the host's own accounts leave to this process. The smallest pool is the ceiling for the probe.
//
// Knowledge assumed: every control group from our own up to the root may have a limit, in version 1 or 2. The use of a group includes clean file pages, which the kernel drops
// before it pages anything out. The host as a whole is one more such pool (MemAvailable). A process has limits of its own (RLIMIT_AS, RLIMIT_DATA). A host that does not
// overcommit also limits the promised memory.
// Output observed: the text files of /proc and of the control groups, each on its own worth nothing: what
// cannot be read or makes no sense is left out, and a use above its limit is room of 0.
// Inference drawn: the room in each pool; the least of them is the ceiling.
// What breaks it: limits that no file shows (a hypervisor's balloon, a namespace that hides the ancestors);
// caches that the kernel cannot drop although it counts them so. That is what the probe below is for.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gray::memory {

/// How much of the page cache may be taken. The numbers are those of gray/alloc.h.
enum class CachePolicy : std::uint32_t {
  share = 0,  // the inactive file pages and half of the active ones
  keep = 1,   // none
  steal = 2,  // all of it
};

/// The kinds of limits.
enum class PoolKind : std::uint32_t { host, group, address_space, data_segment, commitment };

/// A pool that memory comes from. room_bytes is net of the margin and may be below zero.
struct Pool {
  PoolKind kind = PoolKind::host;
  std::int64_t room_bytes = 0;
  std::uint64_t margin_bytes = 0;
  std::uint64_t capacity_bytes = 0;  // the room there would be if nobody else held anything
  std::string name;
  std::string path;          // of a group, as /proc/PID/cgroup names it
  bool is_use_known = true;  // false: room_bytes is the most there can be, for nothing tells what is used
};

/// Counters that grow while the kernel takes memory from processes, for the tightest group or else for the host.
struct PagingCounters {
  std::uint64_t swapped_bytes = 0;       // a level, not a sum
  std::uint64_t refaults_anonymous = 0;  // pages that were swapped out and wanted again
  std::uint64_t refaults_file = 0;       // cached pages that were dropped and wanted again
  std::uint64_t stall_us = 0;            // time in which some task waited for memory (PSI)
  bool has_stall = false;
  bool is_of_host = false;  // somebody in a group of its own may move them, with plenty of memory elsewhere
};

struct PoolOptions {
  CachePolicy cache = CachePolicy::share;
  std::uint64_t margin_bytes = 0;  // kept free in each shared pool; 0: by the functions below
  bool has_files = false;          // the caller works on files meanwhile: files_margin_bytes()
};

/// The account by which all holders of returnable memory judge whether a waiting call can be served, whatever options they used themselves. So all of them come to the same
/// division.
inline constexpr PoolOptions kCommonAccount{};

/// The margin that stays free below a limit by default: a 32nd of the limit, at least 4 MiB, at most 256 MiB. It is twice that if there is no swap, because beyond the limit a
/// process is killed.
std::uint64_t default_margin_bytes(std::uint64_t limit_bytes, bool has_swap);

/// The memory that stays free for a caller that reads and writes files through the page cache: a quarter of the limit, at most 1 GiB. With less, the pages of the files push
/// anonymous memory out.
std::uint64_t files_margin_bytes(std::uint64_t limit_bytes);

/// The accounts of this host. The object finds their files when it is made, and reads them at each question. One thread at a time.
class HostAccounts {
 public:
  /// `root` is put before each path: "" for the real host, a folder for tests. `process` says whose control groups are used: "self" or a number.
  explicit HostAccounts(std::string root = "", const std::string& process = "self");

  /// The pools that are shared with others: the host, and each control group that has a limit.
  [[nodiscard]] std::vector<Pool> shared_pools(const PoolOptions& options) const;

  /// The limits of this process alone. The memory that it has mapped already is subtracted.
  [[nodiscard]] std::vector<Pool> own_pools() const;

  [[nodiscard]] PagingCounters paging_counters() const;

  /// How often the kernel has searched memory to reclaim some. The value grows by one each time that it has searched as much as the host has, or as much as a control group of
  /// this process uses. 0 if it is unknown.
  [[nodiscard]] double reclaim_rounds() const;

  /// The group's file whose name ends so, in the nearest ancestor that has such a file. Empty if there is none.
  [[nodiscard]] std::string group_file(const std::string& name) const;

  /// The files that hold the limits of this process's groups, for a caller that wants to know when a limit is changed.
  [[nodiscard]] std::vector<std::string> limit_files() const;

  /// Whether the kernel, if it must kill a process of one of these groups, kills the whole group (memory.oom.group).
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
  bool has_swap_ = false;      // when we were made: it is looked up once, for the margin's sake
  std::vector<Group> groups_;  // ours first, then its ancestors
};

/// Whether a process with this text in /proc/PID/cgroup draws on the pool. Pure.
bool draws_on(std::string_view cgroup_text, const Pool& pool);

/// Whether the accounts tell the room of the host, and the use of each limited group. If not, the least room of these pools is only an upper bound. Pure.
bool is_room_known(const std::vector<Pool>& pools);

}  // namespace gray::memory
