// SPDX-License-Identifier: MIT
// segment_test: makes and joins a segment in /dev/shm, and refuses every file that is not a segment.
//
// How: the test makes real files in /dev/shm, under names of its own, and removes them again. Forked children act as other users. Without /dev/shm these cases
// only print a line. Left out: a full /dev/shm; and that load_grant() tries again while the sequence number is odd. No timing distinguishes that reliably from
// giving up on a writer that has stopped.
#include "tools/discnice/protocol/segment.hpp"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "tests/support/catch.hpp"
#include "tests/unit/discnice/child_process.hpp"
#include "tools/discnice/policy/registry.hpp"
#include "tools/discnice/protocol/guarded_word.hpp"
#include "tools/discnice/protocol/members.hpp"
#include "tools/discnice/protocol/ring.hpp"

using namespace discnice;
using namespace discnice::protocol;
using discnice::test::start_child;
using discnice::test::wait_for;

namespace {

constexpr uid_t kStranger = 65534;
const Grant kGrant{1, 0, 5'000'000, 2'000'000'000};
const JobOptions kOptions{1, 3, 777};

bool has_folder() {
  if (access(kSegmentFolder, W_OK) == 0) return true;
  WARN("no /dev/shm to write to: nothing tested");
  return false;
}

std::string path_of(const std::string& name) {
  return kSegmentFolder + name;
}

int join_error(const std::string& name) {
  const auto joined = join(name.data(), name.size());
  if (joined) unmap(joined.value());
  return joined.error();
}

// A segment that is removed at the end of the test.
struct Made {
  Made() {
    const auto made = make("a job", kGrant, kOptions, &name);
    REQUIRE(made.error() == 0);
    segment = made.value();
  }
  ~Made() {
    if (segment != nullptr) unmap(segment);
    remove(name);
  }
  Made(const Made&) = delete;
  Made& operator=(const Made&) = delete;

  [[nodiscard]] std::string text() const { return name.text; }
  [[nodiscard]] std::string path() const { return path_of(name.text); }

  SegmentName name;
  Segment* segment = nullptr;
};

// Writes to a file of the test and removes it at the end.
struct File {
  File(std::string at, const std::vector<char>& bytes, mode_t mode = 0600) : path(std::move(at)) {
    const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
    REQUIRE(fd >= 0);
    REQUIRE(fchmod(fd, mode) == 0);
    REQUIRE(write(fd, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
    close(fd);
  }
  ~File() { unlink(path.c_str()); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  std::string path;
};

std::string own_name(const char* suffix) {
  return "discnice-" + std::to_string(geteuid()) + "-" + std::to_string(getpid()) + "-" +
         std::to_string(find_pid_namespace()) + "-" + suffix;
}

bool is_segment_name(const std::string& text, Maker* maker) {
  return read_maker(text.data(), text.size(), maker);
}

std::vector<char> bytes_of(const Segment& segment) {
  std::vector<char> bytes(sizeof(Segment));
  std::memcpy(bytes.data(), static_cast<const void*>(&segment), bytes.size());
  return bytes;
}

// Does everything that a member and a reader do with a segment. It reads all of the header.
void use(Segment& segment) {
  const Grant grant = load_grant(segment);
  const policy::Policy& policy = policy::policy_by_id(grant.policy_id);
  const auto decision = policy.admit({segment.lane_states[0].load()}, grant, 4'096, 1'000'000'000);
  policy.correct(decision.next, grant, -4'096, 1'000'000'000);
  Member& member = enter(segment, {discnice::test::own_pid()}, JoinKind::after_exec);
  add(member, Counter::calls, 1);
  count_alive(segment);
  total(segment, Counter::calls);
  leave(segment, member, discnice::test::own_pid());
  store_grant(segment, grant);
}

// Becomes another user who may open any file but owns none: only the owner check can refuse that user.
bool become_stranger_who_may_open_all() {
  if (prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) != 0 || setresuid(kStranger, kStranger, kStranger) != 0)
    return false;
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct data[2] = {};
  data[0].effective = data[0].permitted = 1U << CAP_DAC_OVERRIDE;
  return syscall(SYS_capset, &header, data) == 0;
}

}  // namespace

TEST_CASE("a segment made is found again by name, with what it was made with", "[segment]") {
  if (!has_folder()) return;
  const Made made;
  const auto joined = join(made.name.text, std::strlen(made.name.text));
  REQUIRE(joined.error() == 0);
  const Segment& segment = *joined.value();
  CHECK(joined.value() != made.segment);
  CHECK(std::string(segment.job_name) == "a job");
  CHECK(segment.owner_uid == geteuid());
  CHECK(segment.creator_pid == discnice::test::own_pid());
  Maker maker{};
  REQUIRE(read_maker(made.name, &maker));
  CHECK(maker.user == geteuid());
  CHECK(maker.pid == discnice::test::own_pid());
  CHECK(maker.pid_namespace == find_pid_namespace());
  CHECK(maker.at_ns == segment.created_ns);
  CHECK(segment.options.is_ledger_on == 1);
  CHECK(segment.options.cache_backend == 3);
  CHECK(segment.options.probe_hit_max_ns == 777);
  const Grant grant = load_grant(segment);
  CHECK(grant.policy_id == kGrant.policy_id);
  CHECK(grant.rate_bytes_per_s == kGrant.rate_bytes_per_s);
  CHECK(grant.window_ns == kGrant.window_ns);
  CHECK(load_instant(segment.lane_states[0], segment.created_ns) ==
        segment.created_ns);  // the window starts used up
  made.segment->lane_states[0].store(99);
  CHECK(segment.lane_states[0].load() == 99);
  unmap(joined.value());
}

TEST_CASE("a segment is a file of its owner alone, of the size of the layout", "[segment]") {
  if (!has_folder()) return;
  const mode_t before = umask(0);
  const Made made;
  umask(before);
  struct stat status {};
  REQUIRE(lstat(made.path().c_str(), &status) == 0);
  CHECK((status.st_mode & 07777U) == 0600);
  CHECK(S_ISREG(status.st_mode));
  CHECK(status.st_uid == geteuid());
  CHECK(status.st_size == static_cast<off_t>(sizeof(Segment)));
  CHECK(status.st_blocks * 512 >=
        static_cast<off_t>(kFrontBytes));  // reserved, so that no member dies of a full /dev/shm
}

TEST_CASE("a segment whose file was truncated is told from a whole one and from one without a name",
          "[segment]") {
  if (!has_folder()) return;
  const Made made;
  CHECK_FALSE(is_cut_short(made.name));
  REQUIRE(truncate(made.path().c_str(), static_cast<off_t>(kFrontBytes)) == 0);
  CHECK(is_cut_short(made.name));
  REQUIRE(unlink(made.path().c_str()) == 0);
  CHECK_FALSE(is_cut_short(made.name));
  CHECK_FALSE(is_cut_short(SegmentName{}));
}

TEST_CASE("two segments of one process have two names", "[segment]") {
  if (!has_folder()) return;
  const Made first;
  const Made second;
  CHECK(first.text() != second.text());
}

TEST_CASE("a removed name cannot be joined, and those inside go on sharing", "[segment]") {
  if (!has_folder()) return;
  const Made made;
  const auto joined = join(made.name.text, std::strlen(made.name.text));
  REQUIRE(joined.error() == 0);
  remove(made.name);
  CHECK(join_error(made.text()) == -ENOENT);
  made.segment->lane_states[0].store(4711);
  CHECK(joined.value()->lane_states[0].load() == 4711);
  unmap(joined.value());
}

TEST_CASE("a private segment is shared with forked children and has no name", "[segment]") {
  const auto made = make_private("LD_PRELOAD", kGrant, kOptions);
  REQUIRE(made.error() == 0);
  Segment& segment = *made.value();
  const pid_t child = start_child([&] {
    segment.lane_states[0].store(12);
    return 0;
  });
  CHECK(wait_for(child) == 0);
  CHECK(segment.lane_states[0].load() == 12);
  remove(SegmentName{});  // removes nothing and says nothing
  unmap(&segment);
}

TEST_CASE("a job name that is too long is cut, not run over", "[segment]") {
  const std::string name(500, 'x');
  const auto made = make_private(name.c_str(), kGrant, kOptions);
  REQUIRE(made.error() == 0);
  CHECK(std::string(made.value()->job_name) == std::string(kJobNameBytesMax - 1, 'x'));
  unmap(made.value());
}

TEST_CASE("only names that make() could give out are names", "[segment]") {
  Maker maker{};
  const std::string longest = "discnice-4294967295-4194304-4294967295-18446744073709551615";
  REQUIRE(is_segment_name(longest, &maker));
  CHECK(maker.user == UINT32_MAX);
  CHECK(maker.pid == 4'194'304);
  CHECK(maker.pid_namespace == UINT32_MAX);
  CHECK(maker.at_ns == UINT64_MAX);
  CHECK(is_segment_name("discnice-0-1-2-3", &maker));
  const std::vector<std::string> wrong = {"",
                                          "discnice-0-1-2",
                                          "discnice-0-1-2-",
                                          "discnice-0-1-2-3-4",
                                          "discnice-0--2-3",
                                          "discnice--0-1-2-3",
                                          "discnice-0-01-2-3",
                                          "discnice-0-1-2-3-ring",
                                          "discnice-0-1-2-18446744073709551616",
                                          "discnice",
                                          "discnice-",
                                          "discnice-1/2",
                                          "discnice-1.2",
                                          "discnice-..",
                                          "../discnice-1",
                                          "/discnice-1",
                                          "Discnice-1",
                                          "discnice-1a",
                                          "discnice-1 ",
                                          "discnice- 1",
                                          "discnice-1\n",
                                          "xdiscnice-1",
                                          std::string("discnice-1\0", 11),
                                          longest + "1",
                                          "discnice-" + std::string(5000, '1')};
  for (const std::string& name : wrong) {
    INFO(name);
    CHECK_FALSE(is_segment_name(name, &maker));
    CHECK(join_error(name) == -EINVAL);
  }
}

TEST_CASE("remove() removes nothing that is not a segment's name", "[segment]") {
  if (!has_folder()) return;
  const File file(path_of("gray-" + own_name("7")), {'x'});
  SegmentName name;
  std::strcpy(name.text,
              (std::string("../shm/gray-") + own_name("7")).substr(0, sizeof name.text - 1).c_str());
  remove(name);
  CHECK(access(file.path.c_str(), F_OK) == 0);
}

TEST_CASE("a name that nobody made is not there", "[segment]") {
  if (!has_folder()) return;
  CHECK(join_error(own_name("0")) == -ENOENT);
}

TEST_CASE("a symbolic link is refused even when it leads to a segment", "[segment]") {
  if (!has_folder()) return;
  const Made made;
  const std::string link = own_name("1");
  REQUIRE(symlink(made.path().c_str(), path_of(link).c_str()) == 0);
  CHECK(join_error(link) == -EPROTO);
  unlink(path_of(link).c_str());
}

TEST_CASE("a folder, a pipe or a file of another size is refused", "[segment]") {
  if (!has_folder()) return;
  const Made made;
  std::vector<char> bytes = bytes_of(*made.segment);
  const std::string name = own_name("2");
  SECTION("a byte short") {
    bytes.pop_back();
    const File file(path_of(name), bytes);
    CHECK(join_error(name) == -EPROTO);
  }
  SECTION("a byte long") {
    bytes.push_back(0);
    const File file(path_of(name), bytes);
    CHECK(join_error(name) == -EPROTO);
  }
  SECTION("empty") {
    const File file(path_of(name), {});
    CHECK(join_error(name) == -EPROTO);
  }
  SECTION("a folder") {
    REQUIRE(mkdir(path_of(name).c_str(), 0700) == 0);
    CHECK(join_error(name) == -EPROTO);
    rmdir(path_of(name).c_str());
  }
  SECTION("a pipe") {
    REQUIRE(mkfifo(path_of(name).c_str(), 0600) == 0);
    CHECK(join_error(name) == -EPROTO);
    unlink(path_of(name).c_str());
  }
  SECTION("and the whole copy is accepted, so that the size was the reason") {
    const File file(path_of(name), bytes);
    CHECK(join_error(name) == 0);
  }
}

TEST_CASE("a segment that others may touch is refused", "[segment]") {
  if (!has_folder()) return;
  const Made made;
  for (const mode_t mode : {0604U, 0602U, 0601U, 0640U, 0620U, 0610U, 0666U, 0777U}) {
    INFO("mode " << std::oct << mode);
    REQUIRE(chmod(made.path().c_str(), mode) == 0);
    CHECK(join_error(made.text()) == -EPERM);
  }
  REQUIRE(chmod(made.path().c_str(), 0600) == 0);
  CHECK(join_error(made.text()) == 0);
}

TEST_CASE("a segment of another user is refused, however it can be opened", "[segment]") {
  if (!has_folder()) return;
  if (geteuid() != 0) {
    WARN("not root: no other user to be");
    return;
  }
  const Made made;
  const pid_t plain = start_child([&] {
    if (setresuid(kStranger, kStranger, kStranger) != 0) return 99;
    return -join_error(made.text());
  });
  CHECK(wait_for(plain) == EPERM);
  const pid_t mighty = start_child([&] {
    if (!become_stranger_who_may_open_all()) return 99;
    return -join_error(made.text());
  });
  CHECK(wait_for(mighty) == EPERM);
}

TEST_CASE("another magic, version or size in the header is refused", "[segment]") {
  if (!has_folder()) return;
  const Made made;
  SECTION("magic") {
    made.segment->magic.store(kSegmentMagic + 1);
  }
  SECTION("not finished being made") {
    made.segment->magic.store(0);
  }
  SECTION("newer") {
    made.segment->version = kSegmentVersion + 1;
  }
  SECTION("older") {
    made.segment->version = kSegmentVersion - 1;
  }
  SECTION("size") {
    made.segment->size_bytes = sizeof(Segment) - 256;
  }
  CHECK(join_error(made.text()) == -EPROTO);
}

TEST_CASE("any single wrong byte of the header is refused or does no harm", "[segment]") {
  if (!has_folder()) return;
  const Made made;
  const std::vector<char> good = bytes_of(*made.segment);
  auto* bytes = reinterpret_cast<char*>(made.segment);
  const std::size_t checked_end = offsetof(Segment, owner_uid);  // magic, version and size
  const pid_t child = start_child([&] {  // a crash ends only the child, and the test sees it
    for (std::size_t place = 0; place < offsetof(Segment, members) + sizeof(Member); ++place) {
      for (const unsigned change : {0x01U, 0x80U, 0xffU}) {
        std::memcpy(static_cast<void*>(bytes), good.data(), good.size());
        bytes[place] = static_cast<char>(static_cast<unsigned char>(bytes[place]) ^ change);
        const auto joined = join(made.name.text, std::strlen(made.name.text));
        // The name must end within its field: a wrong last byte is as bad as a wrong size.
        const bool is_checked =
            place < checked_end || place == offsetof(Segment, job_name) + kJobNameBytesMax - 1;
        if (is_checked && joined.error() != -EPROTO) return 1;
        if (!is_checked && joined.error() != 0) return 2;
        if (!joined) continue;
        use(*joined.value());
        unmap(joined.value());
      }
    }
    return 0;
  });
  CHECK(wait_for(child) == 0);
}

TEST_CASE("root refuses a segment of another user, as anybody does", "[segment]") {
  if (!has_folder()) return;
  if (geteuid() != 0) {
    WARN("not root: no other user to be");
    return;
  }
  const Made made;
  REQUIRE(chown(made.path().c_str(), kStranger, kStranger) == 0);
  CHECK(join_error(made.text()) == -EPERM);
}

// A user who may give a second name to another user's file (fs.protected_hardlinks=0) must not be able to take a job's segment away in this way.
TEST_CASE("a segment that somebody gave a second name is joined by its own", "[segment]") {
  if (!has_folder()) return;
  const Made made;
  const std::string second = path_of(own_name("9"));
  REQUIRE(link(made.path().c_str(), second.c_str()) == 0);
  CHECK(join_error(made.text()) == 0);
  unlink(second.c_str());
}

TEST_CASE("a segment whose owner holds a lease on it is refused at once", "[segment]") {
  if (!has_folder()) return;
  Made made;
  const int holder = open(made.path().c_str(), O_RDWR | O_CLOEXEC);
  REQUIRE(holder >= 0);
  unmap(made.segment);
  made.segment = nullptr;  // a lease needs a file that no other process has open
  if (fcntl(holder, F_SETLEASE, F_WRLCK) == 0) {
    signal(SIGIO, SIG_IGN);
    CHECK(join_error(made.text()) == -EAGAIN);
    signal(SIGIO, SIG_DFL);
  } else {
    WARN("no lease to be had here: nothing tested");
  }
  close(holder);
}

TEST_CASE("the ring of a recorded job lies in its segment's file, and has no name that could be taken",
          "[segment]") {
  if (!has_folder()) return;
  const Made made;
  CHECK(join_ring(made.name).error() == -EPROTO);  // there is no ring yet
  const auto whole = make_ring(made.name);
  REQUIRE(whole.error() == 0);
  struct stat status {};
  REQUIRE(lstat(made.path().c_str(), &status) == 0);
  CHECK(status.st_size == static_cast<off_t>(kRecordedBytes));
  CHECK(join_error(made.text()) == 0);
  whole.value()->lost.store(4711);
  const auto joined = join_ring(made.name);
  REQUIRE(joined.error() == 0);
  CHECK(joined.value()->lost.load() == 4711);
  std::memset(static_cast<void*>(whole.value()), 0xff, sizeof(Ring));
  CHECK(join_error(made.text()) == 0);  // the ring uses no place of the segment
  CHECK(join_ring(made.name).error() == -EPROTO);
  unmap_ring(joined.value());
  unmap_ring(whole.value());
}

TEST_CASE("a grant read while it is written is one that was written", "[segment]") {
  const auto segment = std::make_unique<Segment>();
  store_grant(*segment, {0, 0, 0, 0});
  std::atomic<bool> is_over{false};
  std::thread writer([&] {
    for (std::uint32_t i = 1; !is_over.load(std::memory_order_relaxed); ++i) {
      store_grant(*segment, {i, 0, UINT64_C(3) * i, UINT64_C(7) * i});
      if (i % 64 == 0) sched_yield();
    }
  });
  std::uint32_t last_id = 0;
  int changes = 0;
  int torn = 0;
  constexpr int kChangesWanted = 3000;
  constexpr int kLoadsMax = 20'000'000;
  for (int i = 0; i < kLoadsMax && changes < kChangesWanted; ++i) {
    if (i % 256 == 0) sched_yield();  // on one processor the writer would not run beside this reader
    const Grant grant = load_grant(*segment);
    const bool is_whole = grant.policy_id != 0 && grant.rate_bytes_per_s == UINT64_C(3) * grant.policy_id &&
                          grant.window_ns == UINT64_C(7) * grant.policy_id;
    // When a writer stops in the middle of a write, load_grant() gives up. It returns no grant, and never half a grant.
    const bool has_given_up = grant.policy_id == 0 && grant.rate_bytes_per_s == 0;
    if (!is_whole && !has_given_up) ++torn;
    if (is_whole && grant.policy_id != last_id) ++changes;
    if (is_whole) last_id = grant.policy_id;
  }
  is_over.store(true);
  writer.join();
  CHECK(torn == 0);
  CHECK(changes == kChangesWanted);
}

TEST_CASE("a writer that died in the middle holds up no reader, and the next one repairs it", "[segment]") {
  const auto segment = std::make_unique<Segment>();
  store_grant(*segment, kGrant);
  // The state that a writer leaves when it is killed between the first word and the last: the sequence number comes first,
  // and is odd.
  reinterpret_cast<std::atomic<std::uint64_t>*>(&segment->grant)->fetch_add(1);
  CHECK(segment->grant.sequence() % 2 == 1);
  CHECK(load_grant(*segment).rate_bytes_per_s == 0);  // the limit is unknown: the job runs without a limit
  store_grant(*segment, {1, 0, 17, 18});
  CHECK(segment->grant.sequence() % 2 == 0);
  CHECK(load_grant(*segment).rate_bytes_per_s == 17);
  CHECK(load_grant(*segment).window_ns == 18);
}

TEST_CASE("each grant published has a number of its own, by which a waiting call notices it", "[segment]") {
  const auto segment = std::make_unique<Segment>();
  store_grant(*segment, kGrant);
  const std::uint64_t first = segment->grant.sequence();
  store_grant(*segment, kGrant);
  CHECK(segment->grant.sequence() != first);
}

TEST_CASE("a grant with one wrong byte is no limit rather than a wrong one", "[segment]") {
  const auto segment = std::make_unique<Segment>();
  store_grant(*segment, kGrant);
  auto* bytes = reinterpret_cast<unsigned char*>(&segment->grant);
  for (std::size_t at = sizeof(std::uint64_t); at < sizeof segment->grant; ++at) {
    for (const unsigned change : {0x01U, 0x80U, 0xffU}) {
      bytes[at] = static_cast<unsigned char>(bytes[at] ^ change);
      CHECK(load_grant(*segment).rate_bytes_per_s == 0);
      bytes[at] = static_cast<unsigned char>(bytes[at] ^ change);
    }
  }
  CHECK(load_grant(*segment).rate_bytes_per_s == kGrant.rate_bytes_per_s);
}

TEST_CASE("what is lent is good for a second", "[segment]") {
  const auto segment = std::make_unique<Segment>();
  constexpr std::uint64_t kNowNs = 5'000'000'000;
  CHECK(lent_rate(*segment, kNowNs) == 0);
  lend(*segment, 42, true, kNowNs);
  CHECK(lent_rate(*segment, kNowNs + kLentMaxNs) == 42);
  CHECK(lent_rate(*segment, kNowNs + kLentMaxNs + 1) == 0);
  CHECK(lent_rate(*segment, kNowNs - 1) == 0);
}

TEST_CASE("at another rate the rest of a debt is paid earlier or later", "[segment]") {
  constexpr std::uint64_t kNowNs = 10'000'000'000;
  constexpr std::uint64_t kLeftNs = 1'000'000'000;
  CHECK(at_other_rate(kNowNs + kLeftNs, 100, 400, kNowNs) == kNowNs + kLeftNs / 4);
  CHECK(at_other_rate(kNowNs + kLeftNs, 400, 100, kNowNs) == kNowNs + 4 * kLeftNs);
  CHECK(at_other_rate(kNowNs - kLeftNs, 400, 100, kNowNs) == kNowNs - kLeftNs);
  CHECK(at_other_rate(kNowNs + kLeftNs, 0, 100, kNowNs) == kNowNs + kLeftNs);
  CHECK(at_other_rate(kNowNs + kLeftNs, UINT64_MAX, 1, kNowNs) == kNowNs + kAheadMaxNs);
}

TEST_CASE("what a sharing job owes is the same bytes when it is lent another rate", "[segment]") {
  const auto segment = std::make_unique<Segment>();
  Grant grant;
  grant.rate_bytes_per_s = 1000;
  store_grant(*segment, grant);
  constexpr std::uint64_t kNowNs = 10'000'000'000;
  constexpr std::uint64_t kLeftNs = 1'000'000'000;
  store_instant(segment->lane_states[0], kNowNs + kLeftNs);
  segment->lane_charged[0] = 1000;
  lend(*segment, 250, true, kNowNs);  // no rate was lent before: the job went by its own rate
  CHECK(load_instant(segment->lane_states[0], kNowNs) == kNowNs + 4 * kLeftNs);
  lend(*segment, 500, true, kNowNs);
  CHECK(load_instant(segment->lane_states[0], kNowNs) == kNowNs + 2 * kLeftNs);
}
