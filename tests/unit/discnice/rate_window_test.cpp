// SPDX-License-Identifier: MIT
// rate_window_test: the decisions of the policies, on a simulated clock.
//
// How: simulated programs start each operation when the policy allows it, and then ask for the next operation. So
// their rate is bytes over time. Operations take no time of their own, which is the hardest case
// for a limiter. Left out: sleeping (throttle_test) and the sharing of the state between real processes
// (members_test).
#include "tools/discnice/policy/rate_window.hpp"

#include <algorithm>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "tests/support/catch.hpp"
#include "tools/discnice/policy/registry.hpp"
#include "tools/discnice/policy/unlimited.hpp"

using namespace discnice;
using namespace discnice::policy;

namespace {

constexpr std::uint64_t kSecondNs = 1'000'000'000;
constexpr std::uint64_t kStartNs = 1'000 * kSecondNs;
constexpr double kRateTolerance = 0.001;

Grant grant_of(std::uint64_t rate_bytes_per_s, std::uint64_t window_ns = kSecondNs) {
  return {kRateWindowId, 0, rate_bytes_per_s, window_ns};
}

// A job and its clock. The state begins as in a new segment: everything is paid up to the instant at which the state was made.
struct Job {
  Grant grant;
  State state{kStartNs};
  std::uint64_t now_ns = kStartNs;
  std::uint64_t moved_bytes = 0;

  // Runs one operation to its start. Returns how long the operation waited.
  std::uint64_t run(std::uint64_t cost_bytes) {
    const Decision decision = kRateWindow.admit(state, grant, cost_bytes, now_ns);
    state = decision.next;
    const std::uint64_t before_ns = now_ns;
    now_ns = std::max(now_ns, decision.verdict.start_at_ns);
    moved_bytes += cost_bytes;
    return now_ns - before_ns;
  }

  void correct(std::int64_t correction_bytes) {
    state = kRateWindow.correct(state, grant, correction_bytes, now_ns);
  }

  [[nodiscard]] double rate() const {
    return static_cast<double>(moved_bytes) * 1e9 / static_cast<double>(now_ns - kStartNs);
  }
};

}  // namespace

TEST_CASE("operations of any size move R bytes a second", "[rate_window]") {
  const auto rate = GENERATE(as<std::uint64_t>{}, 1'000, 65'536, 1'000'000, 5'242'880, 300'000'000);
  const auto window_ns = GENERATE(as<std::uint64_t>{}, 100'000'000, 1'000'000'000, 5'000'000'000);
  for (const double share : {1e-3, 0.1, 0.5, 1.0, 1.5, 4.0, 40.0}) {  // of rate times window
    const double window_bytes = static_cast<double>(rate) * static_cast<double>(window_ns) / 1e9;
    const auto size_bytes = static_cast<std::uint64_t>(std::max(1.0, share * window_bytes));
    INFO("rate " << rate << ", window " << window_ns << ", size " << size_bytes);
    Job job{grant_of(rate, window_ns)};
    for (int i = 0; i < 3000; ++i) job.run(size_bytes);
    CHECK(job.rate() == Approx(static_cast<double>(rate)).epsilon(kRateTolerance));
  }
}

TEST_CASE("single bytes are held to the rate", "[rate_window]") {
  const auto rate = GENERATE(as<std::uint64_t>{}, 1, 1'000, 999'983);
  Job job{grant_of(rate)};
  for (int i = 0; i < 100'000; ++i) job.run(1);
  CHECK(job.rate() == Approx(static_cast<double>(rate)).epsilon(kRateTolerance));
}

TEST_CASE("mixed sizes move R bytes a second", "[rate_window]") {
  std::mt19937_64 random(2006);
  for (int round = 0; round < 50; ++round) {
    const std::uint64_t rate = 4'096 + random() % 50'000'000;
    Job job{grant_of(rate)};
    for (int i = 0; i < 3000; ++i) {
      const std::uint64_t size_max = std::max<std::uint64_t>(2, rate >> (random() % 12)) << (random() % 6);
      job.run(512 + random() % size_max);
    }
    INFO("rate " << rate);
    CHECK(job.rate() == Approx(static_cast<double>(rate)).epsilon(kRateTolerance));
  }
}

TEST_CASE("a rounding error is less than a nanosecond an operation, in favour of the program",
          "[rate_window]") {
  const std::uint64_t rate = 700'000'001;
  for (const std::uint64_t size_bytes : {1U, 511U, 512U, 4'096U, 1'048'576U}) {
    Job job{grant_of(rate)};
    const std::uint64_t waited_ns = job.run(size_bytes);
    const double exact_ns = static_cast<double>(size_bytes) * 1e9 / static_cast<double>(rate);
    CHECK(static_cast<double>(waited_ns) <= exact_ns);
    CHECK(static_cast<double>(waited_ns) > exact_ns - 1);
  }
}

TEST_CASE("there is no burst at the start: the first operation waits for its own cost", "[rate_window]") {
  Job job{grant_of(1'000'000)};
  CHECK(job.run(1'000) == 1'000'000);
  CHECK(job.run(500'000) == kSecondNs / 2);
  CHECK(job.run(40'000'000) == 40 * kSecondNs);
}

TEST_CASE("idle time is made up for by at most one window", "[rate_window]") {
  const auto idle_windows = GENERATE(as<std::uint64_t>{}, 1, 2, 1000);
  Job job{grant_of(1'000'000, 2 * kSecondNs)};
  job.run(1'000);
  job.now_ns += idle_windows * 2 * kSecondNs;
  std::uint64_t burst_bytes = 0;
  while (job.run(10'000) == 0) burst_bytes += 10'000;
  CHECK(burst_bytes == 2'000'000);
}

TEST_CASE("an operation larger than the window may be paid from as much idle time as it costs, and no more",
          "[rate_window]") {
  Job job{grant_of(1'000'000)};
  job.run(1'000);
  job.now_ns += 100 * kSecondNs;
  CHECK(job.run(4'000'000) == 0);
  CHECK(job.run(4'000'000) == 4 * kSecondNs);
}

TEST_CASE("of a refund for a large operation nothing is lost on the next one", "[rate_window]") {
  Job job{grant_of(1'000'000)};
  CHECK(job.run(4'000'000) == 4 * kSecondNs);
  job.correct(-4'000'000);
  CHECK(job.run(4'000'000) == 0);
}

TEST_CASE("idle time shorter than the window is made up for exactly", "[rate_window]") {
  Job job{grant_of(1'000'000)};
  job.run(1'000);
  job.now_ns += kSecondNs / 4;
  std::uint64_t burst_bytes = 0;
  while (job.run(1'000) == 0) burst_bytes += 1'000;
  CHECK(burst_bytes == 250'000);
}

TEST_CASE("a program slower than its rate never waits", "[rate_window]") {
  Job job{grant_of(1'000'000)};
  job.run(10'000);
  for (int i = 0; i < 1000; ++i) {
    job.now_ns += 11'000'000;
    REQUIRE(job.run(10'000) == 0);
  }
}

TEST_CASE("many processes on one word share R between them", "[rate_window]") {
  const auto processes = GENERATE(as<std::size_t>{}, 2, 8, 200);
  std::mt19937_64 random(8);
  const Grant grant = grant_of(10'000'000);
  State state{kStartNs};
  std::vector<std::uint64_t> ready_ns(processes, kStartNs);
  std::uint64_t moved_bytes = 0;
  while (true) {
    // The process that may run first asks next.
    auto next = std::min_element(ready_ns.begin(), ready_ns.end());
    if (*next > kStartNs + 100 * kSecondNs) break;
    const std::uint64_t cost_bytes = 512 + random() % 200'000;
    const Decision decision = kRateWindow.admit(state, grant, cost_bytes, *next);
    state = decision.next;
    *next = std::max(*next, decision.verdict.start_at_ns);
    moved_bytes += cost_bytes;
  }
  // At the end, up to one operation of each process has been admitted and is still waiting.
  const double most_waiting = static_cast<double>(processes) * 200'512;
  CHECK(static_cast<double>(moved_bytes) >= 1e9 * (1 - kRateTolerance));
  CHECK(static_cast<double>(moved_bytes) <= 1e9 * (1 + kRateTolerance) + most_waiting);
}

TEST_CASE("what the disk did beyond the admitted is waited for next time", "[rate_window]") {
  Job job{grant_of(1'000'000)};
  job.run(100'000);
  job.correct(50'000);
  CHECK(job.run(10'000) == 60'000'000);
}

TEST_CASE("what the disk did not do is given back", "[rate_window]") {
  Job job{grant_of(1'000'000)};
  job.run(100'000);
  job.correct(-40'000);
  CHECK(job.run(60'000) == 20'000'000);
}

TEST_CASE("credit from corrections is worth no more than one window", "[rate_window]") {
  Job job{grant_of(1'000'000)};
  job.run(100'000);
  for (int i = 0; i < 100; ++i) job.correct(-1'000'000'000);
  std::uint64_t burst_bytes = 0;
  while (job.run(10'000) == 0) burst_bytes += 10'000;
  CHECK(burst_bytes == 1'000'000);
}

TEST_CASE("predictions that were wrong both ways still give R after correction", "[rate_window]") {
  std::mt19937_64 random(12);
  Job job{grant_of(2'000'000)};
  for (int i = 0; i < 20'000; ++i) {
    const auto actual = static_cast<std::int64_t>(4'096 + random() % 100'000);
    const auto predicted = static_cast<std::int64_t>(random() % 200'000);
    job.run(static_cast<std::uint64_t>(predicted));
    job.correct(actual - predicted);
    job.moved_bytes += static_cast<std::uint64_t>(actual - predicted);  // wraps on purpose
  }
  CHECK(job.rate() == Approx(2e6).epsilon(kRateTolerance));
}

TEST_CASE("a correction of nothing changes nothing", "[rate_window]") {
  Job job{grant_of(1'000'000)};
  job.run(100'000);
  const std::uint64_t before_ns = job.state.paid_until_ns;
  job.correct(0);
  CHECK(job.state.paid_until_ns == before_ns);
}

TEST_CASE("wild numbers move the account by an hour at most", "[rate_window]") {
  constexpr std::uint64_t kHourNs = 3600 * kSecondNs;
  const auto rate = GENERATE(as<std::uint64_t>{}, 1, 1'000'000, UINT64_MAX);
  Job job{grant_of(rate)};
  CHECK(job.run(UINT64_MAX) <= kHourNs);
  const std::uint64_t paid_ns = job.state.paid_until_ns;
  job.correct(INT64_MAX);
  CHECK(job.state.paid_until_ns - paid_ns <= kHourNs);
  const std::uint64_t raised_ns = job.state.paid_until_ns;
  job.correct(INT64_MIN);
  CHECK(raised_ns - job.state.paid_until_ns <= kHourNs);
  if (rate == 1) CHECK(raised_ns - job.state.paid_until_ns == kHourNs);
}

TEST_CASE("a refund larger than all that was ever paid stops at zero", "[rate_window]") {
  const Grant grant = grant_of(1);
  CHECK(kRateWindow.correct({5}, grant, -1'000'000, kStartNs).paid_until_ns == 0);
}

TEST_CASE("a window longer than the clock has run is no burst of wrapped time", "[rate_window]") {
  const Grant grant = grant_of(1'000'000, UINT64_MAX);
  const Decision decision = kRateWindow.admit({kStartNs}, grant, 1'000, kStartNs);
  CHECK(decision.verdict.start_at_ns == kStartNs + 1'000'000);
}

TEST_CASE("an operation that costs nothing, or a rate of zero, never waits and pays nothing",
          "[rate_window]") {
  const State owing{kStartNs + 500 * kSecondNs};
  const Decision costless = kRateWindow.admit(owing, grant_of(1'000), 0, kStartNs);
  CHECK(costless.verdict.start_at_ns == 0);
  CHECK(costless.next.paid_until_ns == owing.paid_until_ns);
  const Decision limitless = kRateWindow.admit(owing, grant_of(0), 1'000'000, kStartNs);
  CHECK(limitless.verdict.start_at_ns == 0);
  CHECK(limitless.next.paid_until_ns == owing.paid_until_ns);
  CHECK(kRateWindow.correct(owing, grant_of(0), 1'000'000, kStartNs).paid_until_ns == owing.paid_until_ns);
  CHECK(kRateWindow.correct(owing, grant_of(0), -1'000'000, kStartNs).paid_until_ns == owing.paid_until_ns);
}

TEST_CASE("unlimited never waits and keeps no account", "[policy]") {
  std::mt19937_64 random(1);
  State state{kStartNs};
  for (int i = 0; i < 1000; ++i) {
    const Decision decision = kUnlimited.admit(state, grant_of(1), random(), random());
    REQUIRE(decision.verdict.start_at_ns == 0);
    REQUIRE(decision.next.paid_until_ns == kStartNs);
    state = kUnlimited.correct(state, grant_of(1), static_cast<std::int64_t>(random()), random());
    REQUIRE(state.paid_until_ns == kStartNs);
  }
}

TEST_CASE("names and numbers of the policies are those that shared memory and scripts know", "[policy]") {
  REQUIRE(policy_count() >= 2);
  CHECK(std::string(policy_by_id(0).name) == "unlimited");
  CHECK(std::string(policy_by_id(1).name) == "rate");
  CHECK(kUnlimitedId == 0);
  CHECK(kRateWindowId == 1);
  CHECK_FALSE(policy_by_id(kUnlimitedId).needs_rate);
  CHECK(policy_by_id(kRateWindowId).needs_rate);
  for (std::uint32_t id = 0; id < policy_count(); ++id) {
    const Policy& policy = policy_by_id(id);
    CHECK(policy_id_by_name(policy.name, std::strlen(policy.name)) == static_cast<int>(id));
    CHECK(std::strlen(policy.summary) > 0);
    REQUIRE(policy.admit != nullptr);
    REQUIRE(policy.correct != nullptr);
  }
}

TEST_CASE("a policy this build does not know is unlimited", "[policy]") {
  CHECK(&policy_by_id(policy_count()) == &kUnlimited);
  CHECK(&policy_by_id(UINT32_MAX) == &kUnlimited);
}

TEST_CASE("only a whole name of the right length is a policy", "[policy]") {
  CHECK(policy_id_by_name("rates", 4) == static_cast<int>(kRateWindowId));
  for (const char* text : {"", "rat", "rates", "Rate", " rate", "unlimite"}) {
    CHECK(policy_id_by_name(text, std::strlen(text)) == -1);
  }
}
