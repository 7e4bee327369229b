// SPDX-License-Identifier: MIT
#include "microbench/runner.hpp"

#include <algorithm>
#include <memory>

#include "microbench/registry.hpp"
#include "toolbox/base/clock.hpp"

namespace microbench {
namespace {

// A median of fewer rounds is not reliable.
constexpr std::size_t kRoundsForSure = 3;

// When this many times the budget is used up, the runner does not wait even for the least number of rounds.
constexpr std::uint64_t kOvertimeFactor = 2;

// A state of the host, such as the load by other virtual machines or the processor's clock, lasts for tenths of a second or for seconds. Samples from one such state agree with
// each other, but not with the next run. So no benchmark ends before this part of the time has passed. With fewer benchmarks that time
// is shorter.
constexpr double kSpanShare = 0.75;

// A benchmark with a narrow interval gets its turn more rarely by this factor, because the time is better spent where samples scatter.
constexpr std::uint64_t kNarrowWeight = 4;

// Evaluating all samples takes longer than some rounds. So all samples are evaluated only after the number of rounds has grown by this
// fraction: one divided by kLookAgainDivisor.
constexpr std::size_t kLookAgainDivisor = 8;

struct Running {
  std::unique_ptr<Session> session;
  std::uint64_t used_ns = 0;
  std::size_t rounds_looked_at = 0;
  Measured measured;
};

Running set_up(const Benchmark& benchmark, const Context& context) {
  Running running;
  running.measured.benchmark = &benchmark;
  const std::uint64_t start_ns = gray::base::monotonic_ns();
  try {
    running.session = benchmark.set_up(context);
  } catch (const NotAvailable& reason) {
    running.measured.reason = reason.what();
  }
  running.used_ns = gray::base::monotonic_ns() - start_ns;
  return running;
}

bool is_narrow(Running& running) {
  const std::size_t rounds = running.measured.rounds;
  if (rounds >= running.rounds_looked_at + running.rounds_looked_at / kLookAgainDivisor + 1) {
    running.rounds_looked_at = rounds;
    running.measured.is_narrow = running.session->is_narrow();
  }
  return running.measured.is_narrow;
}

// The time used so far, weighted for the choice of the next benchmark.
std::uint64_t weighed_ns(const Running& running) {
  return running.used_ns * (running.measured.is_narrow ? kNarrowWeight : 1);
}

std::uint64_t span_for(std::size_t wanted, std::uint64_t budget_ns) {
  const double share = static_cast<double>(wanted) / static_cast<double>(benchmarks().size());
  return static_cast<std::uint64_t>(kSpanShare * std::min(share, 1.0) * static_cast<double>(budget_ns));
}

bool is_done(Running& running, std::uint64_t used_ns, std::uint64_t budget_ns, std::uint64_t span_ns) {
  if (!running.session) return true;
  const std::size_t rounds = running.measured.rounds;
  if (rounds >= running.session->rounds_max()) return true;
  if (used_ns >= kOvertimeFactor * budget_ns && rounds > 0) return true;
  if (used_ns >= budget_ns && rounds >= std::min(kRoundsForSure, running.session->rounds_max())) return true;
  if (rounds < running.session->rounds_min()) return false;
  return is_narrow(running) && used_ns >= span_ns;
}

void run_round(Running& running) {
  const std::uint64_t start_ns = gray::base::monotonic_ns();
  try {
    running.session->round();
    ++running.measured.rounds;
  } catch (const NotAvailable& reason) {
    running.measured.reason = reason.what();
    running.session.reset();
  }
  running.used_ns += gray::base::monotonic_ns() - start_ns;
}

void finish(Running& running) {
  if (!running.session) return;
  running.measured.is_narrow = running.session->is_narrow();
  try {
    running.measured.findings = running.session->findings();
  } catch (const NotAvailable& reason) {
    running.measured.reason = reason.what();
  }
  running.session.reset();  // clean-up
}

}  // namespace

std::vector<Measured> run_benchmarks(const std::vector<const Benchmark*>& wanted, const Context& context,
                                     std::uint64_t budget_ns, const OnRound& on_round) {
  const std::uint64_t start_ns = gray::base::monotonic_ns();
  const auto used_ns = [&] { return gray::base::monotonic_ns() - start_ns; };
  const std::uint64_t span_ns = span_for(wanted.size(), budget_ns);
  std::vector<Running> all;
  for (const Benchmark* benchmark : wanted) {
    on_round(*benchmark, static_cast<double>(used_ns()) / static_cast<double>(budget_ns));
    all.push_back(set_up(*benchmark, context));
  }
  std::vector<Running*> active;
  for (Running& running : all) active.push_back(&running);
  while (true) {
    active.erase(std::remove_if(active.begin(), active.end(),
                                [&](Running* r) { return is_done(*r, used_ns(), budget_ns, span_ns); }),
                 active.end());
    if (active.empty()) break;
    Running* next = *std::min_element(active.begin(), active.end(), [](const Running* a, const Running* b) {
      return weighed_ns(*a) < weighed_ns(*b);
    });
    on_round(*next->measured.benchmark, static_cast<double>(used_ns()) / static_cast<double>(budget_ns));
    run_round(*next);
  }
  std::vector<Measured> results;
  for (Running& running : all) {
    finish(running);
    results.push_back(std::move(running.measured));
  }
  return results;
}

}  // namespace microbench
