// SPDX-License-Identifier: MIT
#include "libgray/src/memory/pools.hpp"

#include <algorithm>
#include <optional>

#include "libgray/src/memory/account_text.hpp"
#include "libgray/src/os/memory_os.hpp"
#include "toolbox/base/units.hpp"

namespace gray::memory {
namespace {

constexpr std::size_t kGroupDepthMax = 32;
constexpr std::uint64_t kMarginShare = 32;
constexpr std::uint64_t kFilesMarginShare = 4;
constexpr std::uint64_t kFilesMarginMaxBytes = base::kGiB;
constexpr std::uint64_t kMarginMinBytes = 4 * base::kMiB;
constexpr std::uint64_t kMarginMaxBytes = 256 * base::kMiB;
constexpr std::uint64_t kReclaimBatchPages =
    32;  // the least number of pages that the kernel scans each time a group hits its limit (SWAP_CLUSTER_MAX)
// Less swap than this counts as no swap: it would not make up for a wrong grant.
constexpr std::uint64_t kSwapUsefulBytes = 16 * base::kMiB;

// The folder at which a hierarchy of control groups is mounted, and the folder of the hierarchy that is the top of that mount.
struct Mount {
  std::string point;
  std::string top;
};

bool has_item(std::string_view list, std::string_view item) {
  while (!list.empty()) {
    const std::size_t comma = list.find(',');
    if (list.substr(0, comma) == item) return true;
    if (comma == std::string_view::npos) return false;
    list.remove_prefix(comma + 1);
  }
  return false;
}

// One line of mountinfo: id parent device TOP POINT options... - type source SUPER-OPTIONS.
std::optional<Mount> read_mount(std::string_view line, bool is_version_2) {
  for (int i = 0; i < 3; ++i) next_word(line);
  const std::string top(next_word(line));
  const std::string point(next_word(line));
  std::string_view word = next_word(line);
  while (!word.empty() && word != "-") word = next_word(line);
  const std::string_view type = next_word(line);
  next_word(line);
  const bool is_wanted =
      is_version_2 ? type == "cgroup2" : type == "cgroup" && has_item(next_word(line), "memory");
  if (!is_wanted || point.empty()) return std::nullopt;
  return Mount{point, top};
}

Mount find_mount(const std::string& root, bool is_version_2) {
  std::string text;
  os::read_text(root + "/proc/self/mountinfo", text);
  std::string_view rest = text;
  std::string_view line;
  while (next_line(rest, line)) {
    if (auto mount = read_mount(line, is_version_2)) return *mount;
  }
  return {is_version_2 ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory", "/"};
}

// The path of a process's group in the hierarchy that limits memory. `text` is the content of /proc/PID/cgroup.
std::optional<std::string_view> find_path(std::string_view text, bool& is_version_2) {
  std::optional<std::string_view> unified;
  std::string_view line;
  while (next_line(text, line)) {
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string_view::npos ? first : line.find(':', first + 1);
    if (second == std::string_view::npos) continue;
    const std::string_view controllers = line.substr(first + 1, second - first - 1);
    is_version_2 = false;
    if (has_item(controllers, "memory")) return line.substr(second + 1);
    if (controllers.empty() && line.substr(0, first) == "0") unified = line.substr(second + 1);
  }
  is_version_2 = true;
  return unified;
}

// The path below the top of the mount. A path outside the mount was cut off by a namespace: then the top is the only visible group.
std::string path_in_mount(const std::string& path, const std::string& top) {
  if (path.compare(0, 3, "/..") == 0) return "";
  if (top == "/") return path == "/" ? "" : path;
  if (path == top || path.compare(0, top.size() + 1, top + "/") != 0) return "";
  return path.substr(top.size());
}

std::optional<std::uint64_t> read_amount(const std::string& path) {
  std::string text;
  if (os::read_text(path, text) != 0) return std::nullopt;
  return parse_amount(text);
}

std::uint64_t reclaimable_bytes(const std::string& stat, bool is_version_2, const PoolOptions& options) {
  const std::string prefix = is_version_2 ? "" : "total_";
  const auto amount = [&](const char* key) { return find_amount(stat, prefix + key).value_or(0); };
  if (options.cache == CachePolicy::keep) return 0;
  const std::uint64_t active = amount("active_file");
  // For a caller that works on files, the margin is kept for the page cache. If half of the active file pages were kept in addition, the free memory would
  // change with every file that is read.
  const bool is_all_taken = options.cache == CachePolicy::steal || options.has_files;
  const std::uint64_t taken = amount("inactive_file") + (is_all_taken ? active : active / 2);
  // Pages that are being written to disk are free in a moment. Dirty pages that are not yet being written count as reclaimable, too. Otherwise waiting processes would wait for
  // the flusher, which may leave dirty pages for half a minute.
  return taken;
}

std::int64_t difference(std::uint64_t a, std::uint64_t b) {
  return static_cast<std::int64_t>(std::min(a, kUnlimited / 2)) -
         static_cast<std::int64_t>(std::min(b, kUnlimited / 2));
}

// The value of a line such as "Max address space   unlimited   unlimited   bytes".
std::uint64_t soft_limit(std::string_view text, std::string_view name) {
  std::string_view line;
  while (next_line(text, line)) {
    if (line.substr(0, name.size()) != name) continue;
    line.remove_prefix(name.size());
    return parse_amount(next_word(line)).value_or(kUnlimited);
  }
  return kUnlimited;
}

std::uint64_t margin_of(const PoolOptions& options, std::uint64_t limit_bytes, bool has_swap) {
  if (options.margin_bytes != 0) return options.margin_bytes;
  const std::uint64_t margin = default_margin_bytes(limit_bytes, has_swap);
  return options.has_files ? std::max(margin, files_margin_bytes(limit_bytes)) : margin;
}

std::uint64_t sum_after(std::string_view text, std::string_view key) {
  const std::size_t place = text.find(key);
  if (place == std::string_view::npos) return 0;
  text.remove_prefix(place + key.size());
  return parse_amount(next_word(text)).value_or(0);
}

}  // namespace

std::uint64_t default_margin_bytes(std::uint64_t limit_bytes, bool has_swap) {
  const std::uint64_t margin = std::clamp(limit_bytes / kMarginShare, kMarginMinBytes, kMarginMaxBytes);
  return has_swap ? margin : 2 * margin;
}

std::uint64_t files_margin_bytes(std::uint64_t limit_bytes) {
  return std::clamp(limit_bytes / kFilesMarginShare, kMarginMinBytes, kFilesMarginMaxBytes);
}

bool draws_on(std::string_view cgroup_text, const Pool& pool) {
  if (pool.kind == PoolKind::host) return true;
  bool is_version_2 = false;
  const auto path = find_path(cgroup_text, is_version_2);
  if (!path || path->substr(0, pool.path.size()) != pool.path) return false;
  const bool is_whole_name = path->size() == pool.path.size() || pool.path.empty() ||
                             pool.path.back() == '/' || (*path)[pool.path.size()] == '/';
  return is_whole_name;
}

bool is_room_known(const std::vector<Pool>& pools) {
  bool is_host_known = false;
  for (const Pool& pool : pools) {
    if (!pool.is_use_known) return false;
    is_host_known = is_host_known || pool.kind == PoolKind::host;
  }
  return is_host_known;
}

HostAccounts::HostAccounts(std::string root, const std::string& process) : root_(std::move(root)) {
  find_groups(process);
  has_swap_ = has_swap();
}

void HostAccounts::find_groups(const std::string& process) {
  std::string text;
  os::read_text(root_ + "/proc/" + process + "/cgroup", text);
  const auto found = find_path(text, is_version_2_);
  if (!found) return;
  const std::string path(*found);
  const Mount mount = find_mount(root_, is_version_2_);
  std::string below = path_in_mount(path, mount.top);
  // A path outside the mount is the name of the only visible group.
  const bool is_below =
      path.size() >= below.size() && path.compare(path.size() - below.size(), below.size(), below) == 0;
  const std::string above = is_below ? path.substr(0, path.size() - below.size()) : path;
  while (groups_.size() < kGroupDepthMax) {
    const std::string folder = mount.point + below;
    groups_.push_back({root_ + folder, above + below});
    const std::size_t slash = below.rfind('/');
    if (slash == std::string::npos) return;
    below.resize(slash);
  }
}

bool HostAccounts::has_swap() const {
  std::string text;
  os::read_text(root_ + "/proc/meminfo", text);
  std::uint64_t free_bytes = find_amount(text, "SwapFree:").value_or(0) * base::kKiB;
  for (const Group& group : groups_) {
    const auto limit =
        read_amount(group.folder + (is_version_2_ ? "/memory.swap.max" : "/memory.memsw.limit_in_bytes"));
    const auto used =
        read_amount(group.folder + (is_version_2_ ? "/memory.swap.current" : "/memory.memsw.usage_in_bytes"));
    if (!limit || *limit == kUnlimited) continue;
    std::uint64_t room = *limit > used.value_or(0) ? *limit - used.value_or(0) : 0;
    // Version 1 limits memory and swap together: only the part above the memory limit is swap.
    if (!is_version_2_) {
      const auto memory = read_amount(group.folder + "/memory.limit_in_bytes");
      room = std::min(room, *limit > memory.value_or(0) ? *limit - memory.value_or(0) : 0);
    }
    free_bytes = std::min(free_bytes, room);
  }
  return free_bytes >= kSwapUsefulBytes;
}

// kUnlimited also if the limit cannot be read.
std::uint64_t HostAccounts::limit_of(const Group& group) const {
  if (!is_version_2_) return read_amount(group.folder + "/memory.limit_in_bytes").value_or(kUnlimited);
  return std::min(read_amount(group.folder + "/memory.max").value_or(kUnlimited),
                  read_amount(group.folder + "/memory.high").value_or(kUnlimited));
}

std::vector<std::string> HostAccounts::limit_files() const {
  std::vector<std::string> files;
  for (const Group& group : groups_) {
    for (const char* name : {"/memory.limit_in_bytes", "/memory.max", "/memory.high"})
      if ((std::string_view(name) == "/memory.limit_in_bytes") != is_version_2_)
        files.push_back(group.folder + name);
  }
  return files;
}

bool HostAccounts::is_killed_whole() const {
  return std::any_of(groups_.begin(), groups_.end(), [&](const Group& group) {
    return read_amount(group.folder + "/memory.oom.group").value_or(0) != 0;
  });
}

bool HostAccounts::read_group(const Group& group, const PoolOptions& options, bool has_swap,
                              Pool& pool) const {
  const std::uint64_t limit = limit_of(group);
  if (limit == kUnlimited) return false;
  auto used = read_amount(group.folder + (is_version_2_ ? "/memory.current" : "/memory.usage_in_bytes"));
  pool.is_use_known = used.has_value();
  if (!used) {  // the least possible use: this process's own memory
    std::string text;
    os::read_text(root_ + "/proc/self/status", text);
    used = find_amount(text, "VmRSS:").value_or(0) * base::kKiB;
  }
  std::string stat;
  os::read_text(group.folder + "/memory.stat", stat);
  const std::uint64_t reclaimable = std::min(*used, reclaimable_bytes(stat, is_version_2_, options));
  pool.kind = PoolKind::group;
  pool.name = group.folder;
  pool.path = group.path;
  pool.margin_bytes = margin_of(options, limit, has_swap);
  pool.capacity_bytes = limit - std::min(limit, pool.margin_bytes);
  pool.room_bytes = difference(limit, *used - reclaimable) - difference(pool.margin_bytes, 0);
  return true;
}

std::vector<Pool> HostAccounts::shared_pools(const PoolOptions& options) const {
  std::vector<Pool> pools;
  const bool swap = has_swap_;
  std::string text;
  os::read_text(root_ + "/proc/meminfo", text);
  const auto total = find_amount(text, "MemTotal:");
  auto available = find_amount(text, options.cache == CachePolicy::keep ? "MemFree:" : "MemAvailable:");
  if (!available) available = find_amount(text, "MemFree:");
  if (available) {
    Pool host;
    host.name = "host";
    const std::uint64_t total_bytes = total.value_or(*available) * base::kKiB;
    host.margin_bytes = margin_of(options, total_bytes, swap);
    host.capacity_bytes = total_bytes - std::min(total_bytes, host.margin_bytes);
    host.room_bytes = difference(*available * base::kKiB, host.margin_bytes);
    pools.push_back(host);
  }
  for (const Group& group : groups_) {
    Pool pool;
    if (read_group(group, options, swap, pool)) pools.push_back(pool);
  }
  return pools;
}

std::vector<Pool> HostAccounts::own_pools() const {
  std::vector<Pool> pools;
  std::string limits;
  std::string status;
  os::read_text(root_ + "/proc/self/limits", limits);
  os::read_text(root_ + "/proc/self/status", status);
  const auto add = [&](PoolKind kind, const char* name, const char* limit_name, const char* used_name) {
    const std::uint64_t limit = soft_limit(limits, limit_name);
    if (limit == kUnlimited) return;
    const std::uint64_t used = find_amount(status, used_name).value_or(0) * base::kKiB;
    pools.push_back({kind, difference(limit, used), 0, limit, name, ""});
  };
  add(PoolKind::address_space, "RLIMIT_AS", "Max address space", "VmSize:");
  add(PoolKind::data_segment, "RLIMIT_DATA", "Max data size", "VmData:");
  constexpr std::uint64_t kNeverOvercommit = 2;
  if (read_amount(root_ + "/proc/sys/vm/overcommit_memory") == kNeverOvercommit) {
    std::string text;
    os::read_text(root_ + "/proc/meminfo", text);
    const auto limit = find_amount(text, "CommitLimit:");
    const auto used = find_amount(text, "Committed_AS:");
    if (limit && used) {
      pools.push_back({PoolKind::commitment, difference(*limit, *used) * std::int64_t{base::kKiB}, 0,
                       *limit * base::kKiB, "overcommit", ""});
    }
  }
  return pools;
}

double HostAccounts::reclaim_rounds() const {
  const auto page_bytes = static_cast<double>(os::memory_page_bytes());
  const auto rounds = [&](std::uint64_t pages, std::uint64_t of_bytes) {
    return of_bytes == 0 ? 0.0 : static_cast<double>(pages) * page_bytes / static_cast<double>(of_bytes);
  };
  std::string text;
  os::read_text(root_ + "/proc/meminfo", text);
  const std::uint64_t host_bytes = find_amount(text, "MemTotal:").value_or(0) * base::kKiB;
  os::read_text(root_ + "/proc/vmstat", text);
  // pgscan_anon and pgscan_file are not used: they also count the reclaim of any control group.
  std::uint64_t pages = 0;
  for (const char* key : {"pgscan_kswapd", "pgscan_direct", "pgscan_khugepaged", "pgscan_proactive"})
    pages += find_amount(text, key).value_or(0);
  double sum = rounds(pages, host_bytes);
  for (const Group& group : groups_) {
    const auto used =
        read_amount(group.folder + (is_version_2_ ? "/memory.current" : "/memory.usage_in_bytes"));
    os::read_text(group.folder + "/memory.stat", text);
    pages = is_version_2_ ? find_amount(text, "pgscan").value_or(0)
                          : read_amount(group.folder + "/memory.failcnt").value_or(0) * kReclaimBatchPages;
    sum += rounds(pages, used.value_or(0));
  }
  return sum;
}

std::string HostAccounts::group_file(const std::string& name) const {
  std::string text;
  for (const Group& group : groups_) {
    if (os::read_text(group.folder + "/" + name, text) == 0) return group.folder + "/" + name;
  }
  return "";
}

PagingCounters HostAccounts::paging_counters() const {
  PagingCounters counters;
  std::string text;
  const std::string prefix = is_version_2_ ? "" : "total_";
  const Group* tightest = nullptr;
  for (const Group& group : groups_) {
    if (limit_of(group) != kUnlimited) {
      tightest = &group;
      break;
    }
  }
  if (tightest != nullptr && os::read_text(tightest->folder + "/memory.stat", text) == 0) {
    counters.refaults_anonymous = find_amount(text, prefix + "workingset_refault_anon").value_or(0);
    counters.refaults_file = find_amount(text, prefix + "workingset_refault_file").value_or(0);
    counters.swapped_bytes = is_version_2_
                                 ? read_amount(tightest->folder + "/memory.swap.current").value_or(0)
                                 : find_amount(text, "total_swap").value_or(0);
  } else if (os::read_text(root_ + "/proc/vmstat", text) == 0) {
    counters.refaults_anonymous = find_amount(text, "workingset_refault_anon").value_or(0);
    counters.refaults_file = find_amount(text, "workingset_refault_file").value_or(0);
    counters.is_of_host = true;
    const std::uint64_t out = find_amount(text, "pswpout").value_or(0);
    counters.swapped_bytes = out * os::memory_page_bytes();
  }
  const bool is_group_told =
      tightest != nullptr && is_version_2_ && os::read_text(tightest->folder + "/memory.pressure", text) == 0;
  if (is_group_told || os::read_text(root_ + "/proc/pressure/memory", text) == 0) {
    counters.stall_us = sum_after(text, "total=");
    counters.has_stall = true;
  }
  return counters;
}

}  // namespace gray::memory
