// SPDX-License-Identifier: MIT
// repo_parameter_file_test: files on a real file system with concurrent writers, killed writers and bad
// content.
//
// How: forked processes update one file at once. A writer that is killed between writing and renaming is simulated by
// the files that it would leave. Every status is caused with real files. Left out: loss of power,
// which fsync() is trusted to survive.
#include "toolbox/repo/parameter_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "tests/support/catch.hpp"
#include "tests/unit/toolbox/temporary_folder.hpp"

using namespace gray::repo;

namespace {

const Fingerprint kHere{"0123abcd", "Quick CPU", "6.1.0", true};
const Fingerprint kElsewhere{"ffff", "Quick CPU", "6.1.0", true};

Parameter make(const std::string& key, double value) {
  Parameter parameter;
  parameter.key = key;
  parameter.value = value;
  parameter.unit = "ns";
  return parameter;
}

bool is_there(const std::string& path) {
  return access(path.c_str(), F_OK) == 0;
}

}  // namespace

TEST_CASE("the first update makes folder and file, later ones add, replace and forget", "[repo]") {
  const TemporaryFolder folder;
  const std::string path = folder.path("a/b/host.params");
  CHECK(load_file(path, kHere).status == FileStatus::kMissing);
  CHECK(load_file(path, kHere).problem.empty());
  REQUIRE(update_file(path, kHere, {{make("a.x_ns", 1), make("a.y_ns", 2)}, {}}).is_ok());
  REQUIRE(update_file(path, kHere, {{make("a.x_ns", 3), make("a.z_ns", 4)}, {{"a.y_ns", ""}, {"a.q", ""}}})
              .is_ok());
  const LoadedFile loaded = load_file(path, kHere);
  REQUIRE(loaded.status == FileStatus::kUsable);
  REQUIRE(loaded.parameters.size() == 2);
  CHECK(loaded.parameters[0].key == "a.x_ns");
  CHECK(loaded.parameters[0].value == 3);
  CHECK(loaded.parameters[1].key == "a.z_ns");
  CHECK_FALSE(is_there(path + ".tmp"));
}

TEST_CASE("a value for one device leaves the value for another alone", "[repo]") {
  const TemporaryFolder folder;
  const std::string path = folder.path("p");
  Parameter one = make("disk.miss_ns", 1);
  one.device = "uuid:1";
  Parameter two = make("disk.miss_ns", 2);
  two.device = "uuid:2";
  REQUIRE(update_file(path, kHere, {{one, two}, {}}).is_ok());
  REQUIRE(update_file(path, kHere, {{}, {{"disk.miss_ns", "uuid:1"}, {"disk.miss_ns", ""}}}).is_ok());
  const LoadedFile loaded = load_file(path, kHere);
  REQUIRE(loaded.parameters.size() == 1);
  CHECK(loaded.parameters[0].device == "uuid:2");
}

TEST_CASE("a malformed parameter changes nothing, not even for its well-formed companions", "[repo]") {
  const TemporaryFolder folder;
  const std::string path = folder.path("p");
  const UpdateOutcome outcome = update_file(path, kHere, {{make("a.x_ns", 1), make("A", 1)}, {}});
  CHECK(outcome.error == -EINVAL);
  CHECK(outcome.problem.find("'A'") != std::string::npos);
  CHECK_FALSE(is_there(path));
}

TEST_CASE("many processes that update one file at once lose nothing, and a reader always sees a whole file",
          "[repo]") {
  const TemporaryFolder folder;
  const std::string path = folder.path("p");
  constexpr int kProcesses = 6;
  constexpr int kUpdates = 15;
  for (int process = 0; process < kProcesses; ++process) {
    if (fork() != 0) continue;
    int failures = 0;
    for (int i = 0; i < kUpdates; ++i) {
      const std::string key = "p" + std::to_string(process) + ".k" + std::to_string(i);
      // On a slow disk the last process may wait long. This case tests only lost updates.
      if (!update_file(path, kHere, {{make(key, i)}, {}}, UnusableFile::kRefuse, 100'000'000'000).is_ok())
        ++failures;
    }
    _exit(failures == 0 ? 0 : 1);
  }
  int running = kProcesses;
  int unusable_seen = 0;
  int failed = 0;
  while (running > 0) {
    const FileStatus status = load_file(path, kHere).status;
    if (status != FileStatus::kUsable && status != FileStatus::kMissing) ++unusable_seen;
    int exit_status = 0;
    if (waitpid(-1, &exit_status, WNOHANG) > 0) {
      --running;
      if (exit_status != 0) ++failed;
    }
  }
  CHECK(failed == 0);
  CHECK(unusable_seen == 0);
  CHECK(load_file(path, kHere).parameters.size() == kProcesses * kUpdates);
}

TEST_CASE("a writer killed before its rename leaves the old file in force and the next writer unharmed",
          "[repo]") {
  const TemporaryFolder folder;
  const std::string path = folder.path("p");
  REQUIRE(update_file(path, kHere, {{make("a.x_ns", 1)}, {}}).is_ok());
  // A killed writer leaves an unlocked lock file and half a temporary file.
  folder.write("p.tmp", folder.read("p").substr(0, 40) + std::string(5000, 'x'));
  CHECK(load_file(path, kHere).status == FileStatus::kUsable);
  REQUIRE(update_file(path, kHere, {{make("a.y_ns", 2)}, {}}).is_ok());
  CHECK(load_file(path, kHere).parameters.size() == 2);
  CHECK_FALSE(is_there(path + ".tmp"));
}

TEST_CASE("writers killed at random moments never spoil the file", "[repo]") {
  const TemporaryFolder folder;
  const std::string path = folder.path("p");
  REQUIRE(update_file(path, kHere, {{make("a.first_ns", 1)}, {}}).is_ok());
  for (int round = 0; round < 25; ++round) {
    const pid_t child = fork();
    if (child == 0) {
      for (int i = 0;; ++i) (void)update_file(path, kHere, {{make("a.k" + std::to_string(i % 50), i)}, {}});
    }
    usleep(static_cast<useconds_t>(500 + round * 317));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    const LoadedFile loaded = load_file(path, kHere);
    REQUIRE(loaded.status == FileStatus::kUsable);
    REQUIRE(!loaded.parameters.empty());
  }
  CHECK(update_file(path, kHere, {{make("a.last_ns", 1)}, {}}).is_ok());
}

TEST_CASE("a file that cannot be used is refused to writers and stays as it is", "[repo]") {
  const TemporaryFolder folder;
  const std::string path = folder.path("p");
  REQUIRE(update_file(path, kElsewhere, {{make("a.x_ns", 1)}, {}}).is_ok());
  const std::string foreign = folder.read("p");
  const auto [text, status] =
      GENERATE_COPY(std::pair(foreign, FileStatus::kForeign), std::pair(std::string(), FileStatus::kEmpty),
                    std::pair(foreign.substr(0, foreign.size() - 1), FileStatus::kTorn),
                    std::pair(std::string("gray-parameters 7\n"), FileStatus::kFutureVersion),
                    std::pair(std::string("my notes\n"), FileStatus::kNotOurs));
  folder.write("p", text);
  const LoadedFile loaded = load_file(path, kHere);
  CHECK(loaded.status == status);
  CHECK(loaded.parameters.empty());
  CHECK(loaded.problem.find(path) == 0);
  CHECK(loaded.problem.find('\n') == std::string::npos);
  const UpdateOutcome outcome = update_file(path, kHere, {{make("a.y_ns", 2)}, {}});
  CHECK(outcome.error == -EEXIST);
  CHECK(outcome.status == status);
  CHECK(outcome.problem.find("left as it is") != std::string::npos);
  CHECK(folder.read("p") == text);
}

TEST_CASE("asked for it, a writer moves the unusable file aside and loses none of its bytes", "[repo]") {
  const TemporaryFolder folder;
  const std::string path = folder.path("p");
  std::vector<std::string> moved;
  for (const char* text : {"first notes\n", "second notes\n"}) {
    folder.write("p", text);
    const UpdateOutcome outcome =
        update_file(path, kHere, {{make("a.x_ns", 1)}, {}}, UnusableFile::kMoveAside);
    REQUIRE(outcome.is_ok());
    REQUIRE(outcome.moved_to.find(path + ".unusable-") == 0);
    CHECK(folder.read(outcome.moved_to.substr(folder.path("").size())) == text);
    CHECK(load_file(path, kHere).status == FileStatus::kUsable);
    moved.push_back(outcome.moved_to);
  }
  CHECK(moved[0] != moved[1]);
}

TEST_CASE("a folder, a FIFO and a huge file in the place of the file are unreadable, not a hang", "[repo]") {
  const TemporaryFolder folder;
  REQUIRE(mkdir(folder.path("d").c_str(), 0700) == 0);
  REQUIRE(mkfifo(folder.path("f").c_str(), 0600) == 0);
  folder.write("h", "");
  REQUIRE(truncate(folder.path("h").c_str(), 64 << 20) == 0);
  for (const auto& [name, error] :
       {std::pair("d", -EISDIR), std::pair("f", -EINVAL), std::pair("h", -EFBIG)}) {
    const LoadedFile loaded = load_file(folder.path(name), kHere);
    CHECK(loaded.status == FileStatus::kUnreadable);
    CHECK(loaded.error == error);
    CHECK_FALSE(loaded.problem.empty());
    CHECK(update_file(folder.path(name), kHere, {{make("a.x_ns", 1)}, {}}).error == error);
  }
}

TEST_CASE("a folder without permission is reported with its reason", "[repo]") {
  const TemporaryFolder folder;
  const std::string path = folder.path("closed/p");
  REQUIRE(update_file(path, kHere, {{make("a.x_ns", 1)}, {}}).is_ok());
  REQUIRE(chmod(folder.path("closed").c_str(), 0) == 0);
  REQUIRE(chmod(folder.path("").c_str(), 0755) == 0);
  const pid_t child = fork();
  if (child == 0) {
    // The superuser may read everything, so the test becomes another user.
    constexpr uid_t kNobody = 65534;
    if (geteuid() == 0 && seteuid(kNobody) != 0) _exit(2);
    const LoadedFile loaded = load_file(path, kHere);
    const UpdateOutcome outcome = update_file(path, kHere, {{make("a.y_ns", 1)}, {}});
    _exit(loaded.status == FileStatus::kUnreadable && loaded.error == -EACCES && outcome.error == -EACCES
              ? 0
              : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  CHECK(status == 0);
  chmod(folder.path("closed").c_str(), 0700);
}

TEST_CASE("a full disk leaves the old file and no temporary one", "[repo]") {
  const TemporaryFolder folder;
  const std::string path = folder.path("p");
  REQUIRE(update_file(path, kHere, {{make("a.x_ns", 1)}, {}}).is_ok());
  const std::string before = folder.read("p");
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGXFSZ, SIG_IGN);  // the limit replaces a full disk: write() fails in both cases
    const rlimit limit{16, 16};
    setrlimit(RLIMIT_FSIZE, &limit);
    _exit(update_file(path, kHere, {{make("a.y_ns", 1)}, {}}).error == -EFBIG ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  CHECK(status == 0);
  CHECK(folder.read("p") == before);
  CHECK_FALSE(is_there(path + ".tmp"));
}

TEST_CASE("a lock that stays taken is given up after the limit, in one line", "[repo]") {
  const TemporaryFolder folder;
  const std::string path = folder.path("p");
  const int lock = open((path + ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  REQUIRE(flock(lock, LOCK_EX) == 0);
  const UpdateOutcome outcome =
      update_file(path, kHere, {{make("a.x_ns", 1)}, {}}, UnusableFile::kRefuse, 20'000'000);
  CHECK(outcome.error == -ETIMEDOUT);
  CHECK(outcome.problem.find(".lock") != std::string::npos);
  CHECK_FALSE(is_there(path));
  close(lock);
}
