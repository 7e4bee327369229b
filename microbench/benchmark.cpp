// SPDX-License-Identifier: MIT
#include "microbench/benchmark.hpp"

#include "microbench/estimate/spread.hpp"
#include "microbench/registry.hpp"
#include "toolbox/stats/median_interval.hpp"
#include "toolbox/stats/summary.hpp"

namespace microbench {
namespace {

constexpr double kConfidence = 0.9;

}  // namespace

std::vector<Finding> Session::findings() const {
  std::vector<Finding> all;
  for (const auto& [key, samples] : series_) {
    const Described described = describe(key);
    const double share = described.output != nullptr ? described.output->quantile : kMedian;
    const double value = share == kMedian ? median(key) : gray::stats::quantile(samples, share).value_or(0);
    all.push_back({key, value, estimate::spread_of(samples), samples.size()});
  }
  return all;
}

bool Session::is_narrow() const {
  if (series_.empty()) return false;
  for (const auto& [key, samples] : series_) {
    if (samples.size() < rounds_min()) return false;
    const auto interval = gray::stats::median_interval(samples, kConfidence);
    if (!interval || !interval.value().is_reached) return false;
    const double half_width = (interval.value().high - interval.value().low) / 2;
    if (half_width > context_.interval_max * median(key)) return false;
  }
  return true;
}

const std::vector<double>& Session::values(const std::string& key) const {
  static const std::vector<double> kNone;
  const auto found = series_.find(key);
  return found == series_.end() ? kNone : found->second;
}

double Session::median(const std::string& key) const {
  const auto summary = gray::stats::summarize(values(key));
  return summary ? summary.value().median : 0;
}

}  // namespace microbench
