// SPDX-License-Identifier: MIT
// pools_test: the limit of memory follows from the host's files, and wrong values in them do no harm.
//
// How: trees with the files of /proc and of control groups are held in memory, each below a root folder of its
// own. The groups are of version 1 or 2, nested, without a limit ("max"), or cut off by a namespace. Some files are unreadable or wrong. Left out: the real
// files (tests/system/mac_room_test.sh).
#include "tests/support/catch.hpp"

#include <cerrno>

#include "libgray/src/memory/account_text.hpp"
#include "libgray/src/memory/pools.hpp"
#include "libgray/src/memory/pressure.hpp"
#include "tests/unit/libgray/simulated_memory.hpp"
#include "toolbox/base/units.hpp"

namespace simulated = gray::os::simulated;
using namespace gray::memory;
using gray::base::kMiB;

namespace {

std::map<std::string, std::string>& texts() {
  return simulated::memory().texts;
}

std::string mib(std::uint64_t count) {
  return std::to_string(count * kMiB) + "\n";
}

void add_host(std::uint64_t available_mib, std::uint64_t swap_mib) {
  texts()["/r/proc/meminfo"] =
      "MemTotal:       8388608 kB\nMemFree:        " + std::to_string(available_mib * 512) +
      " kB\nMemAvailable:   " + std::to_string(available_mib * 1024) +
      " kB\nSwapFree:       " + std::to_string(swap_mib * 1024) +
      " kB\nCommitLimit:    1048576 kB\nCommitted_AS:    524288 kB\n";
}

void add_version_2(const std::string& path) {
  texts()["/r/proc/self/cgroup"] = "0::" + path + "\n";
  texts()["/r/proc/self/mountinfo"] =
      "22 1 8:1 / / rw - ext4 /dev/sda rw\n30 22 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 "
      "rw\n";
}

void add_version_1(const std::string& path, const std::string& top = "/") {
  texts()["/r/proc/self/cgroup"] = "5:cpu,cpuacct:/elsewhere\n4:memory:" + path + "\n0::/\n";
  texts()["/r/proc/self/mountinfo"] =
      "30 22 0:26 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n"
      "31 22 0:27 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n"
      "32 22 0:28 " +
      top + " /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n";
}

void add_group_2(const std::string& folder, const std::string& max, const std::string& high,
                 std::uint64_t used_mib, const std::string& stat = "") {
  const std::string path = "/r/sys/fs/cgroup" + folder;
  texts()[path + "/memory.max"] = max;
  texts()[path + "/memory.high"] = high;
  texts()[path + "/memory.current"] = mib(used_mib);
  texts()[path + "/memory.stat"] = stat;
}

void add_group_1(const std::string& folder, const std::string& limit, std::uint64_t used_mib,
                 const std::string& stat = "") {
  const std::string path = "/r/sys/fs/cgroup/memory" + folder;
  texts()[path + "/memory.limit_in_bytes"] = limit;
  texts()[path + "/memory.usage_in_bytes"] = mib(used_mib);
  texts()[path + "/memory.stat"] = stat;
}

PoolOptions with_margin(std::uint64_t mebibytes, CachePolicy cache = CachePolicy::share) {
  return {cache, mebibytes * kMiB, false};
}

// The room of the group or host whose name ends in `end`; -1 MiB where there is no such pool.
std::int64_t room_mib(const PoolOptions& options, const std::string& end) {
  for (const Pool& pool : HostAccounts("/r").shared_pools(options)) {
    if (pool.name.size() >= end.size() &&
        pool.name.compare(pool.name.size() - end.size(), end.size(), end) == 0)
      return pool.room_bytes / static_cast<std::int64_t>(kMiB);
  }
  return -1;
}

}  // namespace

TEST_CASE("an amount is a number, max or unlimited, and nothing else") {
  CHECK(parse_amount("4096\n") == 4096U);
  CHECK(parse_amount("max\n") == kUnlimited);
  CHECK(parse_amount("9223372036854771712\n") == kUnlimited);
  for (const char* wrong : {"", "\n", "-1", "12x", "1 2", "0x10", "99999999999999999999999"})
    CHECK_FALSE(parse_amount(wrong).has_value());
  CHECK(find_amount("inactive_file_x 1\ninactive_file 2\n", "inactive_file") == 2U);
  CHECK_FALSE(find_amount("inactive_file\n", "inactive_file").has_value());
}

TEST_CASE("version 2: every ancestor with a limit is a pool, and high counts as well as max") {
  simulated::reset_memory();
  add_host(4000, 1000);
  add_version_2("/a/b");
  add_group_2("/a/b", "max\n", mib(300), 100);
  add_group_2("/a", mib(500), "max\n", 450);
  add_group_2("", "max\n", "max\n", 4000);
  CHECK(room_mib(with_margin(10), "/a/b") == 190);
  CHECK(room_mib(with_margin(10), "/a") == 40);
  CHECK(room_mib(with_margin(10), "host") == 3990);
  CHECK(HostAccounts("/r").shared_pools(with_margin(10)).size() == 3);
}

TEST_CASE("version 1: nested limits, and a number near 2^63 is none") {
  simulated::reset_memory();
  add_host(4000, 1000);
  add_version_1("/job/7");
  add_group_1("/job/7", "9223372036854771712\n", 100);
  add_group_1("/job", mib(600), 500);
  add_group_1("", "9223372036854771712\n", 5000);
  CHECK(room_mib(with_margin(1), "/job") == 99);
  CHECK(HostAccounts("/r").shared_pools(with_margin(1)).size() == 2);
  CHECK_FALSE(HostAccounts("/r").is_version_2());
}

TEST_CASE("a mount that shows a part of the hierarchy, and a namespace that hides ours, end at the mount") {
  simulated::reset_memory();
  add_host(4000, 1000);
  add_version_1("/docker/abc/inner", "/docker/abc");
  add_group_1("", mib(600), 500);
  add_group_1("/inner", mib(300), 250);
  CHECK(room_mib(with_margin(1), "/memory/inner") == 49);
  CHECK(room_mib(with_margin(1), "/memory") == 99);
  add_version_1("/../elsewhere");
  CHECK(room_mib(with_margin(1), "/memory") == 99);
  CHECK(HostAccounts("/r").shared_pools(with_margin(1)).size() == 2);
}

TEST_CASE("who is in a group, or below it, draws on its pool, as the kernel names his group") {
  simulated::reset_memory();
  add_host(4000, 1000);
  add_version_1("/job/7");
  add_group_1("/job/7", mib(300), 100);
  add_group_1("/job", mib(600), 500);
  const auto pools = HostAccounts("/r").shared_pools(with_margin(1));
  REQUIRE(pools.size() == 3);
  const auto drawn_on = [&](const char* text) {
    std::string names;
    for (const Pool& pool : pools) names += draws_on(text, pool) ? pool.path + " " : "";
    return names;
  };
  CHECK(pools[1].path == "/job/7");
  CHECK(drawn_on("4:memory:/job/7\n") == " /job/7 /job ");
  CHECK(drawn_on("2:cpu:/x\n4:cpuset,memory:/job/7/deeper\n") == " /job/7 /job ");
  CHECK(drawn_on("4:memory:/job/77\n") == " /job ");
  CHECK(drawn_on("4:memory:/\n") == " ");
  CHECK(drawn_on("") == " ");
  add_version_1("/docker/abc/inner", "/docker/abc");
  add_group_1("/inner", mib(300), 250);
  const auto inner = HostAccounts("/r").shared_pools(with_margin(1));
  REQUIRE(inner.size() == 2);
  CHECK(inner[1].path == "/docker/abc/inner");
  add_version_1("/../elsewhere");
  add_group_1("", mib(600), 500);
  const auto outer = HostAccounts("/r").shared_pools(with_margin(1));
  REQUIRE(outer.size() == 2);
  CHECK(outer[1].path == "/../elsewhere");
}

TEST_CASE("a room that nothing tells is not known, and neither is one of a group whose use is hidden") {
  simulated::reset_memory();
  CHECK_FALSE(is_room_known(HostAccounts("/r").shared_pools({})));
  add_version_1("/job");
  add_group_1("/job", mib(600), 500);
  CHECK_FALSE(is_room_known(HostAccounts("/r").shared_pools({})));
  add_host(4000, 1000);
  CHECK(is_room_known(HostAccounts("/r").shared_pools({})));
  simulated::memory().texts.erase("/r/sys/fs/cgroup/memory/job/memory.usage_in_bytes");
  CHECK_FALSE(is_room_known(HostAccounts("/r").shared_pools({})));
}

TEST_CASE("the page cache counts as the policy says, what is dirty too") {
  simulated::reset_memory();
  add_host(4000, 1000);
  add_version_2("/a");
  const std::string stat = "inactive_file " + mib(80) + "active_file " + mib(40) + "file_dirty " + mib(10);
  add_group_2("/a", mib(500), "max\n", 450, stat);
  CHECK(room_mib(with_margin(10, CachePolicy::keep), "/a") == 40);
  CHECK(room_mib(with_margin(10, CachePolicy::share), "/a") == 40 + 80 + 20);
  CHECK(room_mib(with_margin(10, CachePolicy::steal), "/a") == 40 + 80 + 40);
  CHECK(room_mib(with_margin(10, CachePolicy::keep), "host") == 1990);
}

TEST_CASE("files that lie or cannot be read make no room and stop nothing") {
  simulated::reset_memory();
  CHECK(HostAccounts("/r").shared_pools(with_margin(10)).empty());
  add_host(4000, 1000);
  add_version_2("/a");
  add_group_2("/a", mib(500), "garbage\n", 900);
  CHECK(room_mib(with_margin(10), "/a") == -410);
  texts()["/r/sys/fs/cgroup/a/memory.stat"] = "inactive_file 999999999999999\n";
  CHECK(room_mib(with_margin(10), "/a") == 490);  // no more can be reclaimed than is used
  simulated::memory().text_errors["/r/sys/fs/cgroup/a/memory.current"] = -EACCES;
  texts()["/r/proc/self/status"] = "VmRSS:    102400 kB\n";
  // Only this process's memory is known, and it could be reclaimed.
  CHECK(room_mib(with_margin(10), "/a") == 490);
  texts()["/r/sys/fs/cgroup/a/memory.stat"] = "";
  CHECK(room_mib(with_margin(10), "/a") == 390);
  texts()["/r/sys/fs/cgroup/a/memory.max"] = "\xff\xfe";
  CHECK(HostAccounts("/r").shared_pools(with_margin(10)).size() == 1);
  texts()["/r/proc/self/cgroup"] = ":::\n\n4:memory\n";
  CHECK(HostAccounts("/r").shared_pools(with_margin(10)).size() == 1);
}

TEST_CASE("the margin is a share of the limit, and double where there is no swap") {
  CHECK(default_margin_bytes(512 * kMiB, true) == 16 * kMiB);
  CHECK(default_margin_bytes(512 * kMiB, false) == 32 * kMiB);
  CHECK(default_margin_bytes(kMiB, true) == 4 * kMiB);
  CHECK(default_margin_bytes(kUnlimited - 1, true) == 256 * kMiB);
  simulated::reset_memory();
  add_host(4000, 0);
  add_version_1("/a");
  add_group_1("/a", mib(512), 0);
  CHECK(room_mib({}, "/a") == 480);
  add_host(4000, 1000);
  CHECK(room_mib({}, "/a") == 496);
  texts()["/r/sys/fs/cgroup/memory/a/memory.memsw.limit_in_bytes"] = mib(512);  // this group may use no swap
  texts()["/r/sys/fs/cgroup/memory/a/memory.memsw.usage_in_bytes"] = mib(0);
  CHECK(room_mib({}, "/a") == 480);
}

TEST_CASE("who works on files is left a quarter for the page cache, and all that it holds beyond is room") {
  simulated::reset_memory();
  add_host(4000, 1000);
  add_version_1("/a");
  add_group_1("/a", mib(512), 0);
  PoolOptions options;
  options.has_files = true;
  CHECK(room_mib(options, "/a") == 384);
  add_group_1("/a", mib(512), 200, "total_inactive_file " + mib(60) + "total_active_file " + mib(100));
  CHECK(room_mib(options, "/a") == 384 - 40);
  CHECK(files_margin_bytes(kUnlimited - 1) == 1024 * kMiB);
}

TEST_CASE("a process's own limits are pools of its own, less what it has mapped") {
  simulated::reset_memory();
  add_host(4000, 0);
  texts()["/r/proc/self/limits"] =
      "Limit                     Soft Limit           Hard Limit           Units     \n"
      "Max data size             104857600            unlimited            bytes     \n"
      "Max address space         unlimited            unlimited            bytes     \n";
  texts()["/r/proc/self/status"] = "VmSize:   999999 kB\nVmData:   51200 kB\n";
  auto pools = HostAccounts("/r").own_pools();
  REQUIRE(pools.size() == 1);
  CHECK(pools[0].kind == PoolKind::data_segment);
  CHECK(pools[0].room_bytes == 50 * static_cast<std::int64_t>(kMiB));
  texts()["/r/proc/sys/vm/overcommit_memory"] = "2\n";
  pools = HostAccounts("/r").own_pools();
  REQUIRE(pools.size() == 2);
  CHECK(pools[1].room_bytes == 512 * static_cast<std::int64_t>(kMiB));
}

TEST_CASE("what tells of paging is read of the nearest group with a limit, else of the host") {
  simulated::reset_memory();
  add_version_1("/a/b");
  texts()["/r/proc/vmstat"] = "pswpout 3\nworkingset_refault_anon 5\nworkingset_refault_file 7\n";
  CHECK(HostAccounts("/r").paging_counters().refaults_anonymous == 5);
  CHECK(HostAccounts("/r").paging_counters().swapped_bytes == 3 * 4096);
  CHECK_FALSE(HostAccounts("/r").paging_counters().has_stall);
  add_group_1("/a", mib(600), 500, "total_workingset_refault_anon 11\ntotal_swap 4096\n");
  texts()["/r/proc/pressure/memory"] = "some avg10=0.00 avg60=0.00 avg300=0.00 total=123\nfull total=1\n";
  const PagingCounters counters = HostAccounts("/r").paging_counters();
  CHECK(counters.refaults_anonymous == 11);
  CHECK(counters.swapped_bytes == 4096);
  CHECK(counters.has_stall);
  CHECK(counters.stall_us == 123);
}

TEST_CASE("pressure is told by our group, else by the host, else not at all") {
  simulated::reset_memory();
  CHECK(open_pressure(HostAccounts()).error() == -ENOTSUP);
  auto& files = texts();
  files["/proc/pressure/memory"] = "some\n";
  REQUIRE(open_pressure(HostAccounts()));
  CHECK_FALSE(open_pressure(HostAccounts()).value().is_readable);
  files["/proc/self/cgroup"] = "4:memory:/a\n";
  files["/proc/self/mountinfo"] =
      "32 22 0:28 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n";
  files["/sys/fs/cgroup/memory/a/memory.stat"] = "total_swap 0\n";
  CHECK_FALSE(open_pressure(HostAccounts()).value().is_readable);  // the group has no file of memory pressure
  files["/sys/fs/cgroup/memory/a/memory.pressure_level"] = "";
  CHECK(open_pressure(HostAccounts()).value().is_readable);
  files["/proc/self/cgroup"] = "0::/a\n";
  files["/sys/fs/cgroup/a/memory.pressure"] = "some\n";
  files.erase("/proc/pressure/memory");
  REQUIRE(open_pressure(HostAccounts()));
  CHECK_FALSE(open_pressure(HostAccounts()).value().is_readable);
}

TEST_CASE("a group that is only held back tells of its own paging, and whether it dies whole") {
  simulated::reset_memory();
  add_version_2("/a/b");
  add_group_2("/a/b", "max\n", mib(300), 100);
  texts()["/r/sys/fs/cgroup/a/b/memory.stat"] = "workingset_refault_anon 13\n";
  texts()["/r/proc/vmstat"] = "workingset_refault_anon 5\n";
  CHECK(HostAccounts("/r").paging_counters().refaults_anonymous == 13);
  CHECK_FALSE(HostAccounts("/r").is_killed_whole());
  texts()["/r/sys/fs/cgroup/a/memory.oom.group"] = "1\n";
  CHECK(HostAccounts("/r").is_killed_whole());
}
