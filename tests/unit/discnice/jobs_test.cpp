// SPDX-License-Identifier: MIT
// jobs_test: which names in /dev/shm count as this user's jobs, and which are removed.
//
// How: a forked child becomes a user who does not exist on this machine. So all files that it finds and removes are its own. The child uses the machine's own /dev/shm.
// Forged segments are copies of real ones. Left out: very many names (system/discnice_other_users).
#include "tools/discnice/cli/jobs.hpp"

#include <csignal>
#include <cstring>
#include <string>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/catch.hpp"
#include "tests/unit/discnice/child_process.hpp"
#include "toolbox/base/clock.hpp"
#include "tools/discnice/processes/process_facts.hpp"
#include "tools/discnice/protocol/members.hpp"

using namespace discnice;
using namespace discnice::cli;
using discnice::test::start_child;
using discnice::test::wait_for;

namespace {

constexpr uid_t kUser = 60'124;
constexpr uid_t kOther = 60'125;

bool can_try() {
  if (geteuid() == 0 && access(protocol::kSegmentFolder, W_OK) == 0) return true;
  WARN("not root, or no /dev/shm: nothing tested");
  return false;
}

std::string path_of(const std::string& name) {
  return protocol::kSegmentFolder + name;
}

bool is_there(const std::string& name) {
  struct stat status {};
  return lstat(path_of(name).c_str(), &status) == 0;
}

template <typename Act>
int as_user(uid_t user, Act act) {
  return wait_for(start_child([&] {
    if (setgid(user) != 0 || setuid(user) != 0) return 99;
    return act();
  }));
}

// The number of a process that has ended.
pid_t dead_pid() {
  const pid_t child = start_child([] { return 0; });
  wait_for(child);
  return child;
}

constexpr std::uint32_t kFirstPidNamespace = 0xEFFFFFFC;

std::string name_of(uid_t user, pid_t pid, std::uint64_t at_ns) {
  return "discnice-" + std::to_string(user) + "-" + std::to_string(pid) + "-" +
         std::to_string(protocol::find_pid_namespace()) + "-" + std::to_string(at_ns);
}

// Makes a segment of the calling user under any name, with any maker in it. Returns true if the segment exists then.
bool forge(const std::string& name, pid_t maker, std::uint64_t at_ns, pid_t member = 0) {
  const auto made = protocol::make_private("forged", Grant{}, protocol::JobOptions{});
  if (!made) return false;
  protocol::Segment& segment = *made.value();
  segment.creator_pid = static_cast<std::uint32_t>(maker);
  segment.created_ns = at_ns;
  if (member != 0)
    protocol::enter(segment, {static_cast<std::uint32_t>(member)}, protocol::JoinKind::after_fork);
  const int file = open(path_of(name).c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
  const bool is_written = write(file, &segment, sizeof segment) == static_cast<ssize_t>(sizeof segment);
  close(file);
  protocol::unmap(&segment);
  return is_written;
}

std::size_t count_jobs() {
  return find_jobs().jobs.size();
}

}  // namespace

TEST_CASE("a process's user and its start are read behind whatever it calls itself", "[jobs]") {
  const std::string stat = "42 (a) S 1 (b)) S 1 42 42 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 1 0 12345 1000 20 0";
  const std::string status = "Name:\ta\nUmask:\t0022\nUid:\t1\t1000\t3\t4\nGid:\t5\t6\t7\t8\n";
  const auto facts = processes::read_facts(stat, status, 100);
  REQUIRE(facts);
  CHECK(facts->user == 1000);
  CHECK(facts->started_at_ns == 123'450'000'000);
  std::string zombie = stat;
  zombie[zombie.rfind(')') + 2] = 'Z';
  CHECK_FALSE(processes::read_facts(zombie, status, 100));
  CHECK_FALSE(processes::read_facts("", status, 100));
  CHECK_FALSE(processes::read_facts(stat, "", 100));
  CHECK_FALSE(processes::read_facts("42 (a) S 1", status, 100));
  CHECK_FALSE(processes::read_facts(stat, status, 0));
}

TEST_CASE("page faults are read behind whatever a process calls itself", "[jobs]") {
  const auto faults = processes::read_page_faults("42 (a) S 1 (b)) S 1 42 42 0 -1 4194304 1 2 3 4");
  REQUIRE(faults);
  CHECK(faults->of_ended_children == 2);
  CHECK(faults->own == 1 + 3);
  CHECK_FALSE(processes::read_page_faults("42 (a) S 1 42 42 0 -1 4194304 1 2"));
  CHECK_FALSE(processes::read_page_faults(""));
}

TEST_CASE("a number is its holder's only since he began, and only while he is this user's", "[jobs]") {
  const std::uint64_t now_ns = gray::base::monotonic_ns();
  CHECK(processes::is_own_since(static_cast<std::uint64_t>(getpid()), now_ns));
  const pid_t child = start_child([] {
    pause();
    return 0;
  });
  CHECK(processes::is_own_since(static_cast<std::uint64_t>(child), gray::base::monotonic_ns()));
  CHECK_FALSE(processes::is_own_since(static_cast<std::uint64_t>(child), now_ns - 1'000'000'000));
  kill(child, SIGKILL);
  siginfo_t info{};
  waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT);
  CHECK_FALSE(
      processes::is_own_since(static_cast<std::uint64_t>(child), gray::base::monotonic_ns()));  // a zombie
  wait_for(child);
  CHECK_FALSE(processes::is_own_since(static_cast<std::uint64_t>(child), gray::base::monotonic_ns()));
  if (geteuid() == 0)
    CHECK(as_user(kUser, [] { return processes::is_own_since(1, gray::base::monotonic_ns()) ? 1 : 0; }) == 0);
}

TEST_CASE("a job is a segment of this user's under the name that it was made under", "[jobs]") {
  if (!can_try()) return;
  CHECK(as_user(kUser, [] {
          protocol::SegmentName name;
          const auto made = protocol::make("a job", Grant{}, protocol::JobOptions{}, &name);
          if (!made) return 1;
          FoundJobs found = find_jobs();
          const bool is_found = found.jobs.size() == 1 && std::strcmp(found.jobs[0].name(), name.text) == 0 &&
                                found.jobs[0].number() == static_cast<std::uint64_t>(getpid()) &&
                                found.jobs[0].is_kept() && found.is_complete;
          // The same file under another name that could have been given out.
          const std::string second = name_of(kUser, getpid(), 1);
          const bool is_linked = link(path_of(name.text).c_str(), path_of(second).c_str()) == 0;
          const std::size_t count = count_jobs();
          unlink(path_of(second).c_str());
          protocol::remove(name);
          if (!is_found) return 2;
          if (!is_linked) return 3;
          return count == 1 ? 0 : 4;
        }) == 0);
}

TEST_CASE("what another user has made under this user's names is no job, for root either", "[jobs]") {
  if (!can_try()) return;
  for (const uid_t victim : {kUser, uid_t{0}}) {
    const std::uint64_t now_ns = gray::base::monotonic_ns();
    const pid_t keeper = victim == 0 ? getpid() : getppid();
    const std::string name = name_of(victim, keeper, now_ns);
    CHECK(as_user(kOther, [&] { return forge(name, keeper, now_ns) ? 0 : 1; }) == 0);
    CHECK(as_user(victim, [&] {
            for (const MappedJob& job : find_jobs().jobs)
              if (name == job.name()) return 1;
            clear_leftovers();
            return 0;
          }) == 0);
    CHECK(is_there(name));
    unlink(path_of(name).c_str());
  }
}

TEST_CASE("leftovers of a dead maker go, whatever stands in them, and live ones stay", "[jobs]") {
  if (!can_try()) return;
  const pid_t dead = dead_pid();
  const std::string left = name_of(kUser, dead, 7);
  const std::string lying = name_of(kUser, dead, 8);
  const std::string half_made = name_of(kUser, dead, 9);
  const std::string populated = name_of(kUser, dead, 10);
  const std::string mapped = name_of(kUser, dead, 11);
  CHECK(as_user(kUser, [&] {
          if (!forge(left, dead, 7)) return 1;
          // By its content the maker of the segment is alive, and by its name the maker is dead.
          if (!forge(lying, getpid(), 8)) return 2;
          close(open(path_of(half_made).c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600));
          if (!forge(populated, dead, 10, getpid())) return 3;
          if (!forge(mapped, dead, 11)) return 4;
          // The segment is mapped although no process has entered it.
          const auto joined = protocol::join(mapped.data(), mapped.size());
          if (!joined) return 5;
          clear_leftovers();
          return 0;
        }) == 0);
  CHECK_FALSE(is_there(left));
  CHECK_FALSE(is_there(lying));
  CHECK_FALSE(is_there(half_made));
  CHECK(is_there(populated));
  CHECK(is_there(mapped));
  for (const std::string& name : {populated, mapped}) unlink(path_of(name).c_str());
}

TEST_CASE("leftovers of a namespace that has ended go", "[jobs]") {
  if (!can_try()) return;
  const pid_t dead = dead_pid();
  const std::string elsewhere = "discnice-0-" + std::to_string(dead) + "-1-12";
  // This case runs as root, who sees the namespace of each process. An ordinary user does not see the namespaces of other users' processes, so
  // each such process could belong to any namespace.
  CHECK(as_user(0, [&] {
          if (!forge(elsewhere, dead, 12)) return 1;
          clear_leftovers();
          return 0;
        }) == 0);
  // A process within a namespace cannot see whether another namespace exists.
  CHECK(is_there(elsewhere) == (protocol::find_pid_namespace() != kFirstPidNamespace));
  unlink(path_of(elsewhere).c_str());
}
