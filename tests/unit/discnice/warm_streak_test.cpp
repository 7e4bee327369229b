// SPDX-License-Identifier: MIT
// warm_streak_test: after how many files alike the next ones are taken for such, and how many of them.
//
// How: a job whose segment is plain memory. Left out: cold files in a streak, which tests/system/discnice_warm_test.sh pays for.
#include "tools/discnice/descriptor/warm_streak.hpp"

#include <algorithm>
#include <memory>

#include "tests/support/catch.hpp"

using namespace discnice;
using namespace discnice::shim;

namespace {

constexpr int kAlikeMin = 16;
constexpr int kAssumedFirst = 15;
constexpr int kAssumedMax = 63;
constexpr int kStreakFilesMin = 64;

class TestJob {
 public:
  TestJob() { segment_->options.is_ledger_on = 1; }

  [[nodiscard]] Job job() const { return {segment_.get(), nullptr, 1, 1, nullptr}; }
  protocol::JobOptions& options() { return segment_->options; }
  protocol::Segment& segment() { return *segment_; }

 private:
  std::unique_ptr<protocol::Segment> segment_ = std::make_unique<protocol::Segment>();
};

// Whatever another test has left.
void begin_anew() {
  const TestJob nowhere;
  end_warm_streak(nowhere.job());
  detail::has_begun.store(false);
  note_class(nullptr);
}

// A streak of files on one device, all of them looked at: the first, and so many like it that no more are ever assumed.
class Streak {
 public:
  Streak() {
    device_.is_ledger_kept = true;
    device_.limits.window_pages_max = 2048;
    begin_anew();
    for (int i = 0; i <= kStreakFilesMin; ++i) look_at_one();
  }

  void look_at_one() {
    note_class(&device_);
    note_free_file(device_);
  }

 private:
  Device device_{};
};

// An entry as renew_opened_file() leaves it.
struct OpenedByName {
  OpenFile file{};
  OpenedByName() { file.was_opened.store(true); }
};

bool is_next_opened_warm(const TestJob& test) {
  OpenedByName next;
  return is_opened_warm(test.job(), next.file);
}

void make_in_memory(int files) {
  note_made(false);
  for (int i = 0; i < files; ++i) note_made(true);
}

}  // namespace

TEST_CASE("fewer than sixteen files made in memory say nothing of the next", "[warm_streak]") {
  const TestJob test;
  make_in_memory(kAlikeMin - 1);
  CHECK_FALSE(is_assumed_in_memory(test.job()));
  note_made(true);
  CHECK(is_assumed_in_memory(test.job()));
}

TEST_CASE("one made on a disk ends it", "[warm_streak]") {
  const TestJob test;
  make_in_memory(kAlikeMin);
  note_made(false);
  CHECK_FALSE(is_assumed_in_memory(test.job()));
}

TEST_CASE("as many are assumed as were looked at in a row, but for one, up to a limit", "[warm_streak]") {
  const TestJob test;
  make_in_memory(kAlikeMin);
  for (int assumed = kAssumedFirst; assumed < 2 * kAssumedMax; ++assumed) {
    for (int i = 0; i < std::min(assumed, kAssumedMax); ++i) CHECK(is_assumed_in_memory(test.job()));
    CHECK_FALSE(is_assumed_in_memory(test.job()));
    note_made(true);
  }
}

TEST_CASE("what the account shows as written ends it, and it begins as at the first", "[warm_streak]") {
  const TestJob test;
  make_in_memory(2 * kAssumedMax);
  CHECK(is_assumed_in_memory(test.job()));
  end_assuming_in_memory();
  for (int i = 0; i < kAlikeMin; ++i) {
    CHECK_FALSE(is_assumed_in_memory(test.job()));
    note_made(true);
  }
  for (int i = 0; i < kAssumedFirst; ++i) CHECK(is_assumed_in_memory(test.job()));
  CHECK_FALSE(is_assumed_in_memory(test.job()));
}

TEST_CASE("nothing is assumed where no account would show it, or each call is asked for", "[warm_streak]") {
  make_in_memory(kAlikeMin);
  TestJob without_account;
  without_account.options().is_ledger_on = 0;
  CHECK_FALSE(is_assumed_in_memory(without_account.job()));
  TestJob verified;
  verified.options().is_verifying = 1;
  CHECK_FALSE(is_assumed_in_memory(verified.job()));
  TestJob recorded;
  recorded.options().recorded = protocol::kRecordOperations;
  CHECK_FALSE(is_assumed_in_memory(recorded.job()));
}

TEST_CASE("some dozens of files found in memory make a streak, and one that was not ends it",
          "[warm_streak]") {
  const TestJob test;
  Device device{};
  device.is_ledger_kept = true;
  device.limits.window_pages_max = 2048;
  OpenFile file{};
  file.device = &device;
  begin_anew();
  for (int i = 1; i < kStreakFilesMin; ++i) note_free_file(device);
  CHECK_FALSE(is_in_warm_streak(test.job(), file));
  note_free_file(device);
  CHECK(is_in_warm_streak(test.job(), file));
  end_warm_streak(test.job());
  CHECK_FALSE(is_in_warm_streak(test.job(), file));
}

TEST_CASE("looking ahead is asked for once, and what lacks of a streak is what was not read yet",
          "[warm_streak]") {
  const TestJob test;
  Device device{};
  device.is_ledger_kept = true;
  device.limits.window_pages_max = 2048;
  OpenFile file{};
  file.device = &device;
  begin_anew();
  note_free_read(kLookAheadBytesMin - 1);
  CHECK(take_missing_for_streak(test.job(), device) == 0);
  note_free_read(1);
  const std::uint64_t missing_bytes = take_missing_for_streak(test.job(), device);
  CHECK(missing_bytes == 2 * 2 * device.limits.window_pages_max * kPageBytes - kLookAheadBytesMin);
  CHECK(take_missing_for_streak(test.job(), device) == 0);
  CHECK_FALSE(is_in_warm_streak(test.job(), file));
  note_free_read(missing_bytes);
  CHECK(is_in_warm_streak(test.job(), file));
  begin_anew();
  note_free_read(kLookAheadBytesMin);
  CHECK(take_missing_for_streak(test.job(), device) != 0);
}

TEST_CASE("nobody looks ahead where the account would not show a mistake", "[warm_streak]") {
  TestJob test;
  Device device{};
  device.limits.window_pages_max = 2048;
  begin_anew();
  note_free_read(kLookAheadBytesMin);
  CHECK(take_missing_for_streak(test.job(), device) == 0);
  device.is_ledger_kept = true;
  test.options().is_ledger_on = 0;
  CHECK(take_missing_for_streak(test.job(), device) == 0);
}

TEST_CASE("in a long streak 63 files go unseen and the next is looked at", "[warm_streak]") {
  const TestJob test;
  Streak streak;
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < kAssumedMax; ++i) CHECK(is_next_opened_warm(test));
    OpenedByName sample;
    CHECK_FALSE(is_opened_warm(test.job(), sample.file));
    CHECK_FALSE(is_assumed_warm(test.job(), sample.file, 4096));  // nor by its first read
    streak.look_at_one();
  }
}

TEST_CASE("the first read of a file counts like its opening", "[warm_streak]") {
  const TestJob test;
  const Streak streak;
  for (int i = 0; i < kAssumedMax; ++i) {
    OpenedByName next;
    CHECK(is_assumed_warm(test.job(), next.file, 4096));
    CHECK(is_assumed_warm(test.job(), next.file, 4096));  // the second is the same file
  }
  CHECK_FALSE(is_next_opened_warm(test));
}

TEST_CASE("a disk read, or a file of another kind, ends what may be assumed of the next ones at once",
          "[warm_streak]") {
  const TestJob test;
  const Streak cold;
  CHECK(is_next_opened_warm(test));
  end_warm_streak(test.job());
  CHECK_FALSE(is_next_opened_warm(test));
  const Streak other;
  CHECK(is_next_opened_warm(test));
  CHECK(are_files_alike());
  note_class(nullptr);
  CHECK_FALSE(are_files_alike());
  CHECK_FALSE(is_next_opened_warm(test));
}

TEST_CASE("what a file that was not looked at may move is bounded", "[warm_streak]") {
  OpenFile file{};
  CHECK(takes_assumed(file, kAssumedBytesMax / 2));
  CHECK(takes_assumed(file, kAssumedBytesMax / 2));
  CHECK_FALSE(takes_assumed(file, 1));
  CHECK_FALSE(takes_assumed(file, UINT64_MAX));
}

namespace {

struct WarmDevice {
  Device device{};
  explicit WarmDevice(std::uint64_t number) {
    device.number = number;
    device.is_ledger_kept = true;
    device.limits.window_pages_max = 2048;
  }
};

// A process begins, and reads so many files that are in memory.
void read_warm(const TestJob& test, Device& device, int files) {
  begin_anew();
  for (int i = 0; i < files; ++i) {
    note_class(&device);
    share_streak(test.job(), device);
    note_free_file(device);
  }
  note_class(&device);
  share_streak(test.job(), device);
}

bool begins_in_streak(const TestJob& test, Device& device) {
  read_warm(test, device, 0);
  return is_next_opened_warm(test);
}

}  // namespace

TEST_CASE("a process begins in the streak of its job, on the same device alone", "[warm_streak]") {
  const TestJob test;
  WarmDevice one(1);
  WarmDevice other(2);
  CHECK_FALSE(begins_in_streak(test, one.device));
  read_warm(test, one.device, kStreakFilesMin);
  CHECK(begins_in_streak(test, one.device));
  CHECK_FALSE(begins_in_streak(test, other.device));
  CHECK(begins_in_streak(test, one.device));
}

TEST_CASE("what several processes have read from memory, one after the other, makes a streak",
          "[warm_streak]") {
  const TestJob test;
  WarmDevice one(1);
  read_warm(test, one.device, kStreakFilesMin / 2);
  CHECK_FALSE(begins_in_streak(test, one.device));
  read_warm(test, one.device, kStreakFilesMin / 2);
  CHECK(begins_in_streak(test, one.device));
}

TEST_CASE("only with its first file does a process go on from where its job is", "[warm_streak]") {
  WarmDevice one(1);
  TestJob late;
  read_warm(late, one.device, 1);
  late.segment().warm_device.store(one.device.number + 1);
  late.segment().warm_bytes.store(UINT64_C(1) << 40U);
  note_class(&one.device);
  share_streak(late.job(), one.device);
  CHECK_FALSE(is_next_opened_warm(late));
}

TEST_CASE("a disk read of one that had a part in the streak ends it for those that begin later",
          "[warm_streak]") {
  const TestJob test;
  WarmDevice one(1);
  read_warm(test, one.device, kStreakFilesMin);
  CHECK(begins_in_streak(test, one.device));
  end_warm_streak(test.job());
  CHECK_FALSE(is_next_opened_warm(test));
  CHECK_FALSE(begins_in_streak(test, one.device));
  // One that has had no part in it leaves it to the others.
  read_warm(test, one.device, kStreakFilesMin);
  begin_anew();
  end_warm_streak(test.job());
  CHECK(begins_in_streak(test, one.device));
}

TEST_CASE("nobody begins in a streak where the account would not show a mistake", "[warm_streak]") {
  TestJob test;
  WarmDevice one(1);
  read_warm(test, one.device, kStreakFilesMin);
  test.options().is_ledger_on = 0;
  CHECK_FALSE(begins_in_streak(test, one.device));
  test.options().is_ledger_on = 1;
  one.device.is_ledger_kept = false;
  CHECK_FALSE(begins_in_streak(test, one.device));
}
