// SPDX-License-Identifier: MIT
#include "microbench/runner.hpp"

#include <algorithm>
#include <memory>

#include "toolbox/base/clock.hpp"

namespace microbench {
namespace {

// A median of fewer says too little.
constexpr std::size_t kRoundsForSure = 3;

// Beyond so many budgets even those rounds are not waited for.
constexpr std::uint64_t kOvertimeFactor = 2;

// A state of the host, such as its neighbours' or its clock's, lasts for tenths of a second: samples of one moment agree
// with each other and not with the next run's.
constexpr std::uint64_t kSpanMinNs = 250'000'000;

struct Running {
  std::unique_ptr<Session> session;
  std::uint64_t used_ns = 0;
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

bool is_done(const Running& running, std::uint64_t used_ns, std::uint64_t budget_ns, std::uint64_t span_ns) {
  if (!running.session) return true;
  const std::size_t rounds = running.measured.rounds;
  if (rounds >= running.session->rounds_max()) return true;
  if (used_ns >= kOvertimeFactor * budget_ns && rounds > 0) return true;
  if (used_ns >= budget_ns && rounds >= std::min(kRoundsForSure, running.session->rounds_max())) return true;
  if (rounds < running.session->rounds_min() || running.used_ns < span_ns) return false;
  return running.session->is_narrow();
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
  const std::uint64_t span_ns =
      std::min<std::uint64_t>(kSpanMinNs, budget_ns / (2 * std::max<std::size_t>(wanted.size(), 1)));
  std::vector<Running> all;
  for (const Benchmark* benchmark : wanted) {
    on_round(*benchmark, static_cast<double>(used_ns()) / static_cast<double>(budget_ns));
    all.push_back(set_up(*benchmark, context));
  }
  std::vector<Running*> active;
  for (Running& running : all) active.push_back(&running);
  while (true) {
    active.erase(std::remove_if(active.begin(), active.end(),
                                [&](const Running* r) { return is_done(*r, used_ns(), budget_ns, span_ns); }),
                 active.end());
    if (active.empty()) break;
    Running* next = *std::min_element(active.begin(), active.end(), [](const Running* a, const Running* b) {
      return a->used_ns < b->used_ns;
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
