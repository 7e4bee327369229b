// SPDX-License-Identifier: MIT
// follower_test: the advice follows from the host's accounts, and from the memory promised to other processes.
//
// How: a simulated host provides the files of /proc and of a control group of version 1. Left out: the decision itself (follow_rule_test) and
// real groups (bench/heapnice).
#include "tests/support/catch.hpp"

#include <cerrno>
#include <string>

#include "libgray/src/memory/follower.hpp"
#include "tests/unit/libgray/simulated_memory.hpp"
#include "toolbox/base/units.hpp"

namespace simulated = gray::os::simulated;
using namespace gray::memory;
using gray::base::kMiB;

namespace {

constexpr char kGroup[] = "/sys/fs/cgroup/memory/job";

std::map<std::string, std::string>& texts() {
  return simulated::memory().texts;
}

void set_group(std::uint64_t limit_mib, std::uint64_t used_mib) {
  texts()[std::string(kGroup) + "/memory.limit_in_bytes"] = std::to_string(limit_mib * kMiB);
  texts()[std::string(kGroup) + "/memory.usage_in_bytes"] = std::to_string(used_mib * kMiB);
  texts()[std::string(kGroup) + "/memory.stat"] = "total_workingset_refault_anon 0\n";
}

void set_process(const char* who, std::uint64_t anonymous_mib, std::uint64_t swapped_mib) {
  texts()[std::string("/proc/") + who + "/status"] = "RssAnon:\t" + std::to_string(anonymous_mib * 1024) +
                                                     " kB\nVmSwap:\t" + std::to_string(swapped_mib * 1024) +
                                                     " kB\n";
}

void set_host() {
  simulated::reset_memory();
  texts()["/proc/meminfo"] =
      "MemTotal: 8388608 kB\nMemFree: 4194304 kB\nMemAvailable: 4194304 kB\nSwapFree: 4194304 kB\n";
  texts()["/proc/self/cgroup"] = "4:memory:/job\n";
  texts()["/proc/self/mountinfo"] =
      "32 22 0:28 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n";
  set_group(1000, 600);
  set_process("self", 600, 0);
}

Followed with_margin() {
  Followed followed;
  followed.pools.margin_bytes = 50 * kMiB;
  return followed;
}

HeapUse use_of(std::uint64_t heap_mib, std::uint64_t live_mib) {
  return {heap_mib * kMiB, live_mib * kMiB, 0, true};
}

std::uint64_t advice_mib(Follower& follower, const HeapUse& use) {
  const auto answer = follower.ask(use);
  return answer ? answer.value().bytes / kMiB : 0;
}

}  // namespace

TEST_CASE("a heap may have what it has in memory and the room beside it") {
  set_host();
  Follower follower(with_margin());
  CHECK(advice_mib(follower, use_of(500, 100)) == 500 + 350);
}

TEST_CASE("what of the heap is in swap, or was never touched, takes no room now") {
  set_host();
  set_process("self", 400, 200);
  set_group(1000, 900);
  Follower swapped(with_margin());
  CHECK(advice_mib(swapped, use_of(500, 100)) == 300 + 50);
  set_process("self", 80, 0);
  Follower untouched(with_margin());
  CHECK(advice_mib(untouched, use_of(500, 20)) == 80 + 50);
}

TEST_CASE("a limit that is moved down makes the heap shrink, and one that is moved up grow") {
  set_host();
  Follower follower(with_margin());
  CHECK(advice_mib(follower, use_of(500, 100)) == 850);
  set_group(700, 600);
  const auto less = follower.ask(use_of(500, 100));
  REQUIRE(less);
  CHECK(less.value().verdict == FollowVerdict::shrink);
  CHECK(less.value().bytes < 550 * kMiB);
  CHECK(less.value().room_bytes == static_cast<std::int64_t>(50 * kMiB));
  set_group(2000, 600);
  FollowVerdict verdict = FollowVerdict::stay;
  HeapUse use = use_of(less.value().bytes / kMiB, 100);
  for (int i = 0; i < 10 && verdict != FollowVerdict::grow; ++i) {
    simulated::memory().clock_ns += 1'000'000'000;
    use.collecting_ns = 300'000'000;
    verdict = follower.ask(use).value().verdict;
  }
  CHECK(verdict == FollowVerdict::grow);
}

TEST_CASE("what one who follows may take soon is no room for another, and is his own again") {
  set_host();
  Follower first(with_margin());
  CHECK(advice_mib(first, use_of(500, 100)) == 850);
  CHECK(advice_mib(first, use_of(500, 100)) == 850);
  simulated::memory().process = 2000;
  simulated::memory().processes[2000] = {};
  texts()["/proc/1000/cgroup"] = "4:memory:/job\n";
  Follower second(with_margin());
  CHECK(advice_mib(second, use_of(0, 0)) == 350 - 125);
}

TEST_CASE("another process's heap is judged by its own account, and one that is gone is told so") {
  set_host();
  set_process("77", 300, 100);
  Followed followed = with_margin();
  followed.pid = 77;
  Follower follower(followed);
  CHECK(advice_mib(follower, use_of(390, 100)) == 290 + 350);
  texts().erase("/proc/77/status");
  CHECK(follower.ask(use_of(390, 100)).error() == -ESRCH);
}

TEST_CASE("where nothing tells how much is free there is no advice") {
  set_host();
  texts().erase(std::string(kGroup) + "/memory.usage_in_bytes");
  Follower follower(with_margin());
  CHECK(follower.ask(use_of(500, 100)).error() == -ENODATA);
}
