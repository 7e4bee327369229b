// SPDX-License-Identifier: MIT
// group_means: limits the job by a control group of its own, of version 2 or 1.
//
// Knowledge assumed (cgroups(7), Documentation/admin-guide/cgroup-v2.rst and cgroup-v1/memory.rst): in version 2 a group with processes cannot delegate controllers to groups
// below it, except the root. So the job's group is a sibling of memnice's group. With memory.high a group above the limit loses pages, and no process is killed. Version 1 has no
// such limit. There the hard limit is used, with killing switched off (memory.oom_control): a member that gets no memory waits until the limit rises.
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fstream>

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libgray/src/memory/account_text.hpp"
#include "libgray/src/memory/pools.hpp"
#include "libgray/src/os/memory_os.hpp"
#include "toolbox/cli/diagnostics.hpp"
#include "tools/memnice/allowance.hpp"
#include "tools/memnice/means.hpp"

namespace memnice {
namespace {

constexpr std::uint64_t kLimitTries = 16;  // the most steps to reach a version-1 limit
constexpr int kEmptyings = 500;            // the most passes to empty a group: half a second or more
constexpr useconds_t kBetweenEmptyingsUs = 1000;

int write_text(const std::string& file, const std::string& text) {
  const int fd = open(file.c_str(), O_WRONLY | O_CLOEXEC);
  if (fd < 0) return -errno;
  const int error = write(fd, text.data(), text.size()) < 0 ? -errno : 0;
  close(fd);
  return error;
}

std::uint64_t read_amount(const std::string& file) {
  std::string text;
  if (gray::os::read_text(file, text) != 0) return 0;
  return gray::memory::parse_amount(text).value_or(0);
}

bool has_word(const std::string& file, const std::string& word) {
  std::ifstream words(file);
  for (std::string one; words >> one;) {
    if (one == word) return true;
  }
  return false;
}

std::string folder_of(const std::string& file) {
  return file.substr(0, file.rfind('/'));
}

class GroupMeans : public Means {
 public:
  /// `own` is memnice's group. Processes that outlive memnice are moved to it.
  GroupMeans(std::string folder, std::string own, bool is_version_2)
      : folder_(std::move(folder)), own_(std::move(own)), is_version_2_(is_version_2) {}

  [[nodiscard]] MeansKind kind() const override { return MeansKind::group; }
  [[nodiscard]] std::string name() const override { return folder_ + limit_file(); }
  int take_in(pid_t pid) override { return write_text(folder_ + "/cgroup.procs", std::to_string(pid)); }
  [[nodiscard]] bool stops_by_signals() const override { return !is_version_2_; }

  [[nodiscard]] std::uint64_t job_bytes(const std::vector<pid_t>& /*pids*/) const override {
    return read_amount(folder_ + (is_version_2_ ? "/memory.current" : "/memory.usage_in_bytes"));
  }

  [[nodiscard]] std::optional<std::uint64_t> own_stall_us() const override {
    std::string text;
    if (!is_version_2_ || gray::os::read_text(folder_ + "/memory.pressure", text) != 0) return std::nullopt;
    const std::size_t place = text.find("total=");
    if (place == std::string::npos) return std::nullopt;
    return std::strtoull(text.c_str() + place + sizeof "total=" - 1, nullptr, 10);
  }

  [[nodiscard]] bool is_job_stuck() const override {
    std::string text;
    if (is_version_2_ || gray::os::read_text(folder_ + "/memory.oom_control", text) != 0) return false;
    return gray::memory::find_amount(text, "under_oom").value_or(0) != 0;
  }

  void hold(std::uint64_t limit_bytes, const std::vector<pid_t>& pids) override {
    if (is_version_2_) {
      write_text(folder_ + limit_file(), limit_bytes == kUnlimited ? "max" : std::to_string(limit_bytes));
      return;
    }
    if (limit_bytes == kUnlimited) {
      write_text(folder_ + limit_file(), "-1");
      return;
    }
    // The kernel refuses a limit that it cannot reach at once. Then a limit between the present size and the goal is tried.
    std::uint64_t wanted_bytes = limit_bytes;
    for (std::uint64_t i = 0;
         i < kLimitTries && write_text(folder_ + limit_file(), std::to_string(wanted_bytes)) == -EBUSY; ++i) {
      const std::uint64_t has_bytes = job_bytes(pids);
      if (has_bytes <= wanted_bytes) return;
      wanted_bytes += (has_bytes - wanted_bytes + 1) / 2;
    }
  }

  void freeze(bool is_frozen) override { write_text(folder_ + "/cgroup.freeze", is_frozen ? "1" : "0"); }

  void end() override {
    hold(kUnlimited, {});
    if (is_version_2_) freeze(false);
    // A job that forks at the same time can be faster than a single pass.
    for (int i = 0; i < kEmptyings && rmdir(folder_.c_str()) != 0 && errno == EBUSY; ++i) {
      for (const pid_t pid : pids()) write_text(own_ + "/cgroup.procs", std::to_string(pid));
      usleep(kBetweenEmptyingsUs);
    }
  }

  [[nodiscard]] std::optional<std::vector<pid_t>> members() const override { return pids(); }

  // Makes the group. Returns what is wrong, or an empty text.
  [[nodiscard]] std::string prepare() const {
    // An existing group may be frozen or limited, or may belong to another user. A group that a killed memnice left is empty and can be removed.
    if (mkdir(folder_.c_str(), 0755) != 0 &&
        (errno != EEXIST || rmdir(folder_.c_str()) != 0 || mkdir(folder_.c_str(), 0755) != 0))
      return fmt::format("no group can be made in {}: {}", folder_of(folder_), gray::cli::error_text(errno));
    const int error = is_version_2_ ? write_text(folder_ + limit_file(), "max")
                                    : write_text(folder_ + "/memory.oom_control", "1");
    const bool is_open = access((folder_ + "/cgroup.procs").c_str(), W_OK) == 0;
    if (error == 0 && is_open) return "";
    rmdir(folder_.c_str());
    return fmt::format("{}: {}", name(), gray::cli::error_text(error != 0 ? error : EACCES));
  }

 private:
  [[nodiscard]] std::vector<pid_t> pids() const {
    std::vector<pid_t> found;
    std::ifstream list(folder_ + "/cgroup.procs");
    for (pid_t pid = 0; list >> pid;) found.push_back(pid);
    return found;
  }
  [[nodiscard]] const char* limit_file() const {
    return is_version_2_ ? "/memory.high" : "/memory.limit_in_bytes";
  }

  std::string folder_;
  std::string own_;
  bool is_version_2_;
};

// The first limit of `group` that would not apply to a sibling group; empty: there is no such limit.
std::string find_limit(const std::string& group) {
  for (const char* limit : {"memory.max", "memory.high", "memory.swap.max", "cpu.max", "pids.max"}) {
    std::string text;
    if (gray::os::read_text(group + "/" + limit, text) == 0 && text.rfind("max", 0) != 0) return limit;
  }
  return "";
}

// The parent for the job's group in version 2: the parent of memnice's group, or that group itself if it is the root.
std::string find_parent(const std::string& own) {
  const bool is_root = access((own + "/cgroup.type").c_str(), F_OK) != 0;
  const std::string parent = is_root ? own : folder_of(own);
  if (!has_word(parent + "/cgroup.subtree_control", "memory"))
    write_text(parent + "/cgroup.subtree_control", "+memory");
  return parent;
}

}  // namespace

GroupTry make_group(bool also_without_swap) {
  const gray::memory::HostAccounts accounts;
  const std::string members = accounts.group_file("cgroup.procs");
  if (members.empty()) return {nullptr, "no control groups with a memory controller are to be seen here"};
  const std::string own = folder_of(members);
  const std::string parent = accounts.is_version_2() ? find_parent(own) : own;
  if (accounts.is_version_2() && !has_word(parent + "/cgroup.subtree_control", "memory"))
    return {nullptr, fmt::format("{} hands no memory controller on, and may not be changed here", parent)};
  if (const std::string limit = parent == own ? "" : find_limit(own); !limit.empty())
    return {nullptr, fmt::format("our group {} has a {} of its own, which a group beside it would escape",
                                 own, limit)};
  if (!accounts.is_version_2() && !also_without_swap && !has_swap())
    return {nullptr, "without swap a limit of version 1 makes the job's own calls fail"};
  auto means = std::make_unique<GroupMeans>(fmt::format("{}/memnice-{}", parent, getpid()), own,
                                            accounts.is_version_2());
  const std::string problem = means->prepare();
  if (!problem.empty()) return {nullptr, problem};
  return {std::move(means), ""};
}

}  // namespace memnice
