// SPDX-License-Identifier: MIT
// runner_test: interleaving, stopping and clean-up of benchmarks.
//
// How: sessions that count and sleep a little. Left out: the benchmarks themselves.
#include "microbench/runner.hpp"

#include <unistd.h>

#include "microbench/registry.hpp"
#include "tests/support/catch.hpp"
#include "toolbox/base/clock.hpp"

using namespace microbench;

namespace {

int alive = 0;
std::string order;

class Steady : public Session {
 public:
  explicit Steady(const Context& context) : Session(context) { ++alive; }
  ~Steady() override { --alive; }
  void round() override {
    order += 's';
    usleep(1000);
    add("timer.overhead_ns", 10);
  }
};

class Noisy : public Session {
 public:
  explicit Noisy(const Context& context) : Session(context) { ++alive; }
  ~Noisy() override { --alive; }
  void round() override {
    order += 'n';
    usleep(1000);
    add("syscall.null_ns", ++count_ % 2 == 0 ? 1 : 1000);
  }

 private:
  int count_ = 0;
};

class Slow : public Session {
 public:
  using Session::Session;
  void round() override {
    usleep(100'000);
    add("syscall.null_ns", 1);
  }
};

class Broken : public Session {
 public:
  explicit Broken(const Context& context) : Session(context) { ++alive; }
  ~Broken() override { --alive; }
  void round() override { throw NotAvailable("it broke"); }
};

std::unique_ptr<Session> refuse(const Context&) {
  throw NotAvailable("not here");
}

template <typename S>
Benchmark benchmark_of(const char* name) {
  return {name, "", "", Needs::kNothing, Effort::kQuick, {}, make_session<S>};
}

}  // namespace

TEST_CASE("a steady benchmark ends early, a noisy one uses the budget, all clean up", "[microbench]") {
  const gray::timing::Timer timer;
  const Context context{timer, Effort::kQuick, nullptr, 0.05, 1};
  const Benchmark steady = benchmark_of<Steady>("steady");
  const Benchmark noisy = benchmark_of<Noisy>("noisy");
  order.clear();
  int told = 0;
  const auto results =
      run_benchmarks({&steady, &noisy}, context, 50'000'000, [&](const Benchmark&, double) { ++told; });
  REQUIRE(results.size() == 2);
  CHECK(results[0].rounds >= 7);
  CHECK(results[0].rounds < results[1].rounds);
  CHECK(results[0].is_narrow);
  CHECK(results[0].findings.at(0).value == 10);
  CHECK(results[1].rounds > 7);
  CHECK_FALSE(results[1].is_narrow);
  CHECK(order.find('n') < order.rfind('s'));
  CHECK(told >= 9);
  CHECK(alive == 0);
}

TEST_CASE("one that cannot be run, or breaks, gives its reason and holds up nobody", "[microbench]") {
  const gray::timing::Timer timer;
  const Context context{timer, Effort::kQuick, nullptr, 0.05, 1};
  const Benchmark broken = benchmark_of<Broken>("broken");
  const Benchmark refused{"refused", "", "", Needs::kNothing, Effort::kQuick, {}, refuse};
  const Benchmark steady = benchmark_of<Steady>("steady");
  const auto results =
      run_benchmarks({&broken, &refused, &steady}, context, 50'000'000, [](const Benchmark&, double) {});
  CHECK(results[0].reason == "it broke");
  CHECK(results[1].reason == "not here");
  CHECK(results[2].reason.empty());
  CHECK(alive == 0);
}

TEST_CASE("without time left each still has a few rounds", "[microbench]") {
  const gray::timing::Timer timer;
  const Context context{timer, Effort::kQuick, nullptr, 0.05, 1};
  const Benchmark slow = benchmark_of<Slow>("slow");
  const auto results = run_benchmarks({&slow}, context, 200'000'000, [](const Benchmark&, double) {});
  CHECK(results[0].rounds == 3);
}

namespace {

// A host with two states, each for a part of the time.
std::uint64_t began_ns = 0;

class Phased : public Session {
 public:
  using Session::Session;
  void round() override {
    usleep(1000);
    const bool is_early = gray::base::monotonic_ns() - began_ns < 20'000'000;
    add("timer.resolution_ns", is_early ? 10 : 20);
  }
};

}  // namespace

TEST_CASE("a phase at the beginning, however steady, is not taken for the host", "[microbench]") {
  const gray::timing::Timer timer;
  const Context context{timer, Effort::kQuick, nullptr, 0.05, 1};
  const Benchmark phased = benchmark_of<Phased>("phased");
  // The list has as many entries as there are benchmarks, so that together they get all of the time.
  std::vector<const Benchmark*> wanted(benchmarks().size(), &phased);
  began_ns = gray::base::monotonic_ns();
  const auto results = run_benchmarks(wanted, context, 400'000'000, [](const Benchmark&, double) {});
  for (const Measured& measured : results) CHECK(measured.findings.at(0).value == 20);
}
