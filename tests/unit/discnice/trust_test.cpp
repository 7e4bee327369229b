// SPDX-License-Identifier: MIT
// trust_test: when a read is trusted, for how long and for how many bytes, and when a process counts as warm.
//
// How: the segment of the job is plain memory. Left out: the code that asks for trust, and uncached files in a warm process
// (tests/system/discnice_warm_test.sh).
#include "tools/discnice/descriptor/trust.hpp"

#include <memory>

#include "tests/support/catch.hpp"

using namespace discnice;
using namespace discnice::guest;

namespace {

constexpr std::uint64_t kSecondNs = 1'000'000'000;
constexpr std::size_t kSmallBytes = 16 * 1024;
constexpr std::uint64_t kTermBytes = 1024UL * 1024;
constexpr int kAtOnceCalls = 16;
constexpr int kAlikeMin = 16;
constexpr std::uint32_t kUnseenOpenings = 15;
constexpr int kWarmFilesMin = 64;

class TestJob {
 public:
  TestJob() { segment_->options.is_ledger_on = 1; }

  [[nodiscard]] Job job() const { return {segment_.get(), nullptr, 1, 1, nullptr}; }
  protocol::JobOptions& options() { return segment_->options; }

 private:
  std::unique_ptr<protocol::Segment> segment_ = std::make_unique<protocol::Segment>();
};

struct TestDevice : Device {
  TestDevice() {
    is_ledger_kept = true;
    limits.window_pages_max = 2048;
  }
};

std::uint64_t a_second_from_now_ns() {
  return gray::base::monotonic_coarse_ns() + kSecondNs;
}

// A new process that has done nothing yet, in a term that does not end during the test.
class Fresh {
 public:
  Fresh() {
    trust.forget();
    trust.cool();
    trust.note_looked_at(member.job(), nullptr);
    trust.begin_term(a_second_from_now_ns());
  }

  TestJob member;
  TestDevice device;

  [[nodiscard]] bool is_warm() const { return trust.is_warm(member.job(), device); }

  void become_warm() {
    for (int i = 0; i < kWarmFilesMin; ++i) trust.note_free_file(device);
  }

  void look_at(int files) {
    for (int i = 0; i < files; ++i) trust.note_looked_at(member.job(), &device);
  }
};

struct LookedAt : OpenFile {
  LookedAt() : OpenFile{} { file_class.store(FileClass::charged); }
};

}  // namespace

TEST_CASE_METHOD(Fresh, "a descriptor that nobody gave trust has none", "[trust]") {
  OpenFile file{};
  CHECK_FALSE(trust.is_given(file));
  CHECK_FALSE(trust.covers(file, 1));
  CHECK_FALSE(trust.covers_at_once(file, 1));
}

TEST_CASE_METHOD(Fresh, "trust is for its term", "[trust]") {
  OpenFile file{};
  trust.give(file, trust.term());
  CHECK(trust.is_given(file));
  CHECK(trust.covers(file, kTrustedBytesMax));
  trust.begin_term(a_second_from_now_ns());
  CHECK_FALSE(trust.is_given(file));
  CHECK_FALSE(trust.covers(file, 1));
}

TEST_CASE_METHOD(Fresh, "trust ends with the time of its term", "[trust]") {
  trust.begin_term(gray::base::monotonic_coarse_ns());
  OpenFile file{};
  trust.give(file, trust.term());
  CHECK_FALSE(trust.covers(file, 1));
}

TEST_CASE_METHOD(Fresh, "a debt voids all trust, also what was decided on before it", "[trust]") {
  OpenFile given{};
  OpenFile decided{};
  trust.give(given, trust.term());
  const std::uint32_t term_before = trust.term();
  trust.end_term();
  trust.give(decided, term_before);
  CHECK_FALSE(trust.covers(given, 1));
  CHECK_FALSE(trust.covers(decided, 1));
}

TEST_CASE_METHOD(Fresh, "what is read on trust is counted once, and bounded by the bytes of the term",
                 "[trust]") {
  OpenFile file{};
  trust.give(file, trust.term());
  std::uint64_t calls = 0;
  for (; trust.covers(file, kSmallBytes); ++calls)
    CHECK(trust.count(static_cast<ssize_t>(kSmallBytes)) == static_cast<ssize_t>(kSmallBytes));
  CHECK(calls == kTermBytes / kSmallBytes);
  CHECK(trust.is_used_up());
  OpenFile other{};
  trust.give(other, trust.term());
  CHECK_FALSE(trust.covers(other, 1));
  CHECK(trust.count(-1) == -1);
  CHECK(trust.count_alone(0) == 0);
  const Trust::Counted counted = trust.take_counted();
  CHECK(counted.calls == calls + 2);
  CHECK(counted.bytes == calls * kSmallBytes);
  CHECK(trust.take_counted().calls == 0);
  CHECK_FALSE(trust.is_used_up());
  CHECK(trust.covers(other, 1));  // the account was settled: the count of bytes begins anew
}

TEST_CASE_METHOD(Fresh, "small reads do without the clock, but not for more than a few in a row", "[trust]") {
  trust.begin_term(gray::base::monotonic_coarse_ns());  // already over, as only the clock can tell
  LookedAt file;
  trust.give(file, trust.term());
  CHECK_FALSE(trust.covers_at_once(file, 1));  // the first read asks the clock
  trust.count(1);
  int reads = 1;
  for (; trust.covers_at_once(file, 1); ++reads) trust.count_alone(1);
  CHECK(reads == kAtOnceCalls);
  CHECK_FALSE(trust.covers(file, 1));
  trust.count(1);
  CHECK(trust.covers_at_once(file, kSmallBytes));
  CHECK_FALSE(trust.covers_at_once(file, kSmallBytes + 1));
  trust.end_term();
  CHECK_FALSE(trust.covers_at_once(file, 1));
}

TEST_CASE_METHOD(Fresh, "a forked child counts from nothing and trusts nothing", "[trust]") {
  OpenFile file{};
  trust.give(file, trust.term());
  trust.count(1);
  trust.forget();
  CHECK_FALSE(trust.covers(file, 1));
  CHECK(trust.take_counted().calls == 0);
}

TEST_CASE_METHOD(Fresh, "some dozens of files found in memory make a process warm, and a disk read ends it",
                 "[trust]") {
  for (int i = 1; i < kWarmFilesMin; ++i) trust.note_free_file(device);
  CHECK_FALSE(is_warm());
  trust.note_free_file(device);
  CHECK(is_warm());
  trust.cool();
  CHECK_FALSE(is_warm());
}

TEST_CASE_METHOD(Fresh, "so do two windows of data, each of twice the device's length", "[trust]") {
  trust.note_free_read(2 * 2 * device.limits.window_pages_max * kPageBytes - 1);
  CHECK_FALSE(is_warm());
  trust.note_free_read(1);
  CHECK(is_warm());
}

TEST_CASE_METHOD(Fresh, "nothing is warm where no account would show a mistake, or each call is asked for",
                 "[trust]") {
  become_warm();
  TestDevice without_account;
  without_account.is_ledger_kept = false;
  CHECK_FALSE(trust.is_warm(member.job(), without_account));
  TestJob switched_off;
  switched_off.options().is_ledger_on = 0;
  CHECK_FALSE(trust.is_warm(switched_off.job(), device));
  TestJob verified;
  verified.options().is_verifying = 1;
  CHECK_FALSE(trust.is_warm(verified.job(), device));
  TestJob recorded;
  recorded.options().recorded = protocol::kRecordOperations;
  CHECK_FALSE(trust.is_warm(recorded.job(), device));
  CHECK(is_warm());
}

TEST_CASE_METHOD(Fresh,
                 "in a warm process sixteen files alike let fifteen go unseen, and the next is looked at",
                 "[trust]") {
  become_warm();
  look_at(kAlikeMin);  // the first file is like no other file
  CHECK(trust.openings_left() == 0);
  for (int round = 0; round < 2; ++round) {
    look_at(1);
    CHECK(trust.openings_left() == kUnseenOpenings);
    for (std::uint32_t i = 0; i < kUnseenOpenings; ++i) {
      OpenFile file{};
      trust.give_unseen(file, trust.term());
      CHECK(trust.is_given(file));
    }
    OpenFile sample{};
    trust.give_unseen(sample, trust.term());
    CHECK_FALSE(trust.is_given(sample));
  }
}

TEST_CASE_METHOD(Fresh, "a process that is not warm looks at each file", "[trust]") {
  look_at(2 * kAlikeMin);
  CHECK(trust.openings_left() == 0);
}

TEST_CASE_METHOD(Fresh, "a disk read, or a file of another kind, ends what goes unseen at once", "[trust]") {
  become_warm();
  look_at(kAlikeMin + 1);
  CHECK(trust.openings_left() != 0);
  trust.cool();
  CHECK(trust.openings_left() == 0);
  become_warm();
  look_at(1);
  CHECK(trust.openings_left() != 0);
  TestDevice other;
  trust.note_looked_at(member.job(), &other);
  CHECK(trust.openings_left() == 0);
  look_at(1);
  CHECK(trust.openings_left() == 0);
}

TEST_CASE_METHOD(Fresh, "what a file that nobody looked at may move is bounded", "[trust]") {
  become_warm();
  look_at(kAlikeMin + 1);
  OpenFile file{};
  trust.give_unseen(file, trust.term());
  trust.count(0);
  CHECK(trust.covers_at_once(file, kTrustedBytesMax / 2));
  CHECK(trust.covers(file, kTrustedBytesMax / 2));
  CHECK_FALSE(trust.covers_at_once(file, 1));
  CHECK_FALSE(trust.covers(file, 1));
  CHECK_FALSE(trust.covers(file, SIZE_MAX));
}
