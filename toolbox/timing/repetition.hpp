// SPDX-License-Identifier: MIT
// repetition: repeats a timed run until its median is known narrowly enough, or the budget is used.
//
// The interval is that of the median by order statistics: between the k-th smallest and the k-th largest
// sample lies the true median with the confidence wanted, whatever the distribution (k from the normal
// approximation of the binomial; Conover, Practical Nonparametric Statistics, section 3.2). So one interrupt
// among many samples does not count, which a mean and its deviation would not survive. Stopping as soon as it
// is narrow makes it somewhat less sure than its nominal confidence; samples_min bounds how much.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "toolbox/timing/timer.hpp"

namespace gray::timing {

/// When to stop.
struct RepetitionPlan {
  double relative_interval_max = 0.02;    ///< Half the 95 % interval over the median, for "narrow enough".
  std::uint64_t budget_ns = 500'000'000;  ///< No further sample is begun after this time.
  std::size_t samples_min = 11;           ///< At least so many (budget permitting, and one in any case).
  std::size_t samples_max = 10'000;
};

/// What came out.
struct Timing {
  double median_ns = 0;  ///< Of one call of the body, the timer's cost taken off.
  double min_ns = 0;
  double max_ns = 0;
  double mean_ns = 0;
  double low_ns = 0;  ///< 95 % interval of the median; min and max while there are too few samples.
  double high_ns = 0;
  bool is_narrow = false;  ///< The interval wanted was reached; else budget or samples_max ended it.
  std::size_t calls_per_sample = 1;
  std::vector<double> samples_ns;  ///< Per call, in the order taken.
};

/// Keeps the samples and decides. Separate from the clock, so that it can be tested without time passing.
class Repetition {
 public:
  explicit Repetition(const RepetitionPlan& plan) : plan_(plan) {}

  /// Takes one more sample; `elapsed_ns` is the time since the first began.
  void add(double sample_ns, std::uint64_t elapsed_ns);

  [[nodiscard]] bool wants_more() const { return wants_more_; }

  /// Everything but calls_per_sample. At least one sample must have been added.
  [[nodiscard]] Timing result() const;

 private:
  RepetitionPlan plan_;
  std::vector<double> samples_ns_;
  std::size_t next_check_ = 1;
  bool wants_more_ = true;
};

/// Of how many calls make a sample: so many estimates in a row must ask for no more. What took longer than this is long enough,
/// interrupted or not.
inline constexpr unsigned kEstimatesAgreeing = 3;
inline constexpr double kSurelyLongNs = 1e8;

/// How many calls make up one sample so that the timer's cost and resolution vanish in it, given what one
/// call took.
std::size_t calls_for(const Timer& timer, double call_ns);

/// Times `body()` again and again. What runs too shortly for the timer is called several times a sample; the
/// same body must then be callable any number of times with the same cost. Runs the body once untimed first.
template <typename Body>
Timing time_repeatedly(const Timer& timer, const RepetitionPlan& plan, Body body) {
  body();
  std::size_t calls = 1;
  // A first call may be slow, and one that was interrupted looks so: the estimate is made again until it stays.
  for (unsigned stays = 0; stays < kEstimatesAgreeing;) {
    const std::uint64_t start = timer.ticks();
    for (std::size_t i = 0; i < calls; ++i) body();
    const double took_ns = timer.ns_since(start);
    const std::size_t wanted = calls_for(timer, took_ns / static_cast<double>(calls));
    stays = wanted > calls ? 0 : stays + 1;
    calls = wanted > calls ? wanted : calls;
    if (took_ns > kSurelyLongNs) break;
  }
  Repetition repetition(plan);
  const std::uint64_t first = timer.ticks();
  while (repetition.wants_more()) {
    const std::uint64_t start = timer.ticks();
    for (std::size_t i = 0; i < calls; ++i) body();
    const double gross_ns = timer.ns_since(start);
    const double net_ns = gross_ns > timer.cost_ns() ? gross_ns - timer.cost_ns() : 0;
    repetition.add(net_ns / static_cast<double>(calls), static_cast<std::uint64_t>(timer.ns_since(first)));
  }
  Timing timing = repetition.result();
  timing.calls_per_sample = calls;
  return timing;
}

/// The same for a body that can be timed but once after each `prepare()` (which is not timed): cold caches
/// and the like. One call a sample, no untimed call.
template <typename Prepare, typename Body>
Timing time_prepared(const Timer& timer, const RepetitionPlan& plan, Prepare prepare, Body body) {
  Repetition repetition(plan);
  const std::uint64_t first = timer.ticks();
  while (repetition.wants_more()) {
    prepare();
    const std::uint64_t start = timer.ticks();
    body();
    const double gross_ns = timer.ns_since(start);
    const double net_ns = gross_ns > timer.cost_ns() ? gross_ns - timer.cost_ns() : 0;
    repetition.add(net_ns, static_cast<std::uint64_t>(timer.ns_since(first)));
  }
  return repetition.result();
}

}  // namespace gray::timing
