// SPDX-License-Identifier: MIT
// budget_test: bytes that were waited for and then not moved are kept as credit until they are used.
//
// How: the segment of the job is plain memory. Charges use the test's own instants; corrections use the clock. Left out: several
// members that change the accounts at once (tests/system/discnice_tree_test.sh), and a whole run (discnice_rate_test.sh).
#include "tools/discnice/job/budget.hpp"

#include <memory>

#include "tests/support/catch.hpp"
#include "toolbox/base/clock.hpp"
#include "tools/discnice/policy/registry.hpp"
#include "tools/discnice/protocol/guarded_word.hpp"
#include "tools/discnice/protocol/segment.hpp"

using namespace discnice;
using namespace discnice::guest;

namespace {

constexpr std::uint64_t kRate = 2'000'000;
constexpr std::uint64_t kSecondNs = 1'000'000'000;
constexpr std::uint64_t kCreditMax = UINT64_C(16) << 20;

class TestJob {
 public:
  explicit TestJob(std::uint64_t rate = kRate) {
    Grant grant;
    grant.policy_id = policy::kRateWindowId;
    grant.rate_bytes_per_s = rate;
    protocol::change_grant(*segment_, grant);
  }

  // The instant at which a read of this many bytes may start if it is made at `now_ns`; 0: at once.
  std::uint64_t read(std::uint64_t bytes, std::uint64_t now_ns) {
    return charge(job_, grant_now(job_, now_ns), {.read_bytes = bytes}, {}, now_ns);
  }
  std::uint64_t latest_paid(std::uint64_t now_ns) {
    return latest_paid_ns(job_, grant_now(job_, now_ns), now_ns);
  }
  std::uint64_t correct_reads(std::int64_t bytes) { return correct(job_, bytes, 0); }
  protocol::Segment& segment() { return *segment_; }

 private:
  std::unique_ptr<protocol::Segment> segment_ = std::make_unique<protocol::Segment>();
  Job job_{segment_.get(), nullptr, 1, 1, nullptr};
};

// The account is balanced. Then the job waits for a window of bytes that is not read.
void waste(TestJob& test, std::int64_t bytes) {
  protocol::store_instant(test.segment().lane_states[0], gray::base::monotonic_ns());
  test.correct_reads(-bytes);
}

}  // namespace

TEST_CASE("small operations do not lose what a large one waited for in vain", "[budget]") {
  TestJob test;
  waste(test, 8'000'000);
  const std::uint64_t now_ns = gray::base::monotonic_ns() + kSecondNs;
  for (int i = 0; i < 80; ++i) REQUIRE(test.read(100'000, now_ns + static_cast<std::uint64_t>(i)) == 0);
  CHECK(test.segment().lane_credits[0].load() == 0);
  CHECK(test.read(200'000, now_ns) == 0);  // paid by the idle second
  CHECK(test.read(1'000'000, now_ns) > now_ns);
}

TEST_CASE("credit pays a part of what costs more", "[budget]") {
  TestJob test;
  waste(test, 2'000'000);
  const std::uint64_t now_ns = gray::base::monotonic_ns();
  const std::uint64_t start_ns = test.read(4'000'000, now_ns);
  CHECK(start_ns > now_ns + kSecondNs - kSecondNs / 100);
  CHECK(start_ns < now_ns + kSecondNs + kSecondNs / 100);
}

TEST_CASE("what is still waited for is shortened before anything is kept", "[budget]") {
  TestJob test;
  const std::uint64_t now_ns = gray::base::monotonic_ns();
  CHECK(test.read(8'000'000, now_ns) > now_ns + 3 * kSecondNs);
  test.correct_reads(-6'000'000);
  CHECK(test.segment().lane_credits[0].load() == 0);
  const std::uint64_t paid_ns = protocol::load_instant(test.segment().lane_states[0], now_ns);
  CHECK(paid_ns > now_ns + kSecondNs / 2);
  CHECK(paid_ns < now_ns + kSecondNs + kSecondNs / 100);
}

TEST_CASE("what the disk did beyond the predictions uses up credit, too", "[budget]") {
  TestJob test;
  waste(test, 3'000'000);
  CHECK(test.correct_reads(1'000'000) == 0);
  CHECK(test.correct_reads(4'000'000) > gray::base::monotonic_ns());
  CHECK(test.segment().lane_credits[0].load() == 0);
}

TEST_CASE("credit is a few windows or a second's worth, whichever is more", "[budget]") {
  TestJob slow;
  for (int i = 0; i < 100; ++i) waste(slow, 1'000'000'000);
  CHECK(slow.segment().lane_credits[0].load() == kCreditMax);
  TestJob fast(UINT64_C(100'000'000));
  for (int i = 0; i < 100; ++i) waste(fast, 1'000'000'000);
  CHECK(fast.segment().lane_credits[0].load() == 100'000'000);
}

TEST_CASE("a wrong byte in the credit is no credit", "[budget]") {
  TestJob test;
  protocol::store_instant(test.segment().lane_states[0], gray::base::monotonic_ns());
  test.segment().lane_credits[0].store(UINT64_MAX - 5);
  const std::uint64_t now_ns = gray::base::monotonic_ns();
  CHECK(test.read(8'000'000, now_ns) > now_ns);
  CHECK(test.segment().lane_credits[0].load() == 0);
}

TEST_CASE("another grant begins with no credit", "[budget]") {
  TestJob test;
  waste(test, 8'000'000);
  protocol::change_grant(test.segment(), protocol::load_grant(test.segment()));
  CHECK(test.segment().lane_credits[0].load() == 0);
}

TEST_CASE("an instant that nothing stands behind is waited for no longer than a moment", "[budget]") {
  TestJob test;
  const std::uint64_t now_ns = gray::base::monotonic_ns();
  for (auto& state : test.segment().lane_states) protocol::store_instant(state, now_ns + 3600 * kSecondNs);
  const std::uint64_t start_ns = test.read(4096, now_ns);
  CHECK(start_ns > now_ns);
  CHECK(start_ns <= now_ns + kSecondNs / 5);
  CHECK(test.latest_paid(now_ns) < now_ns + kSecondNs);
}

TEST_CASE(
    "whatever stands in an account, what waits comes to its own bytes behind those charged and not paid",
    "[budget]") {
  TestJob test;
  const std::uint64_t now_ns = gray::base::monotonic_ns();
  CHECK(test.read(4'000'000, now_ns) > now_ns + kSecondNs);  // two seconds' worth, by another member
  protocol::store_instant(test.segment().lane_states[0], now_ns + 3600 * kSecondNs);
  CHECK(test.read(1'000'000, now_ns) <= now_ns + 2 * kSecondNs + kSecondNs / 2 + kSecondNs / 5);
  test.segment().lane_charged[0] = UINT64_MAX;  // now the instant alone says how much is owed
  CHECK(test.read(1'000'000, now_ns) > now_ns);
}

TEST_CASE("at a thousand bytes a second a megabyte takes a thousand seconds, as it should", "[budget]") {
  TestJob test(1000);
  const std::uint64_t now_ns = gray::base::monotonic_ns();
  protocol::store_instant(test.segment().lane_states[0], now_ns);
  CHECK(test.read(1'000'000, now_ns) == now_ns + 1000 * kSecondNs);  // longer than any window
  CHECK(test.read(64'000, now_ns + 10 * kSecondNs) == now_ns + 1064 * kSecondNs);
  CHECK(test.latest_paid(now_ns + 20 * kSecondNs) >= now_ns + 1064 * kSecondNs);
}

TEST_CASE("of many that queue up each waits for all before it, as long as that takes", "[budget]") {
  TestJob test(1'000'000);
  const std::uint64_t now_ns = gray::base::monotonic_ns();
  protocol::store_instant(test.segment().lane_states[0], now_ns);
  for (std::uint64_t i = 1; i <= 500; ++i) REQUIRE(test.read(1'000'000, now_ns) == now_ns + i * kSecondNs);
}

TEST_CASE(
    "what was found out too late is owed in full, and a correction beyond all bounds is an hour at most",
    "[budget]") {
  TestJob test;
  const std::uint64_t now_ns = gray::base::monotonic_ns();
  CHECK(test.correct_reads(200'000'000) >= now_ns + 99 * kSecondNs);
  TestJob other;
  CHECK(other.correct_reads(INT64_MAX) <= gray::base::monotonic_ns() + 3601 * kSecondNs);
}
