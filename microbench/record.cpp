// SPDX-License-Identifier: MIT
#include "microbench/record.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "microbench/curve.hpp"
#include "microbench/registry.hpp"

namespace microbench {
namespace {

using gray::repo::Changes;
using gray::repo::Parameter;

// If the values of two runs differ by more than this factor, the host has changed, and the old value is not used for the spread.
constexpr double kChangedFactor = 1.5;

const Parameter* find(const std::vector<Parameter>& known, std::string_view key, std::string_view device) {
  const auto found = std::find_if(known.begin(), known.end(),
                                  [&](const Parameter& p) { return p.key == key && p.device == device; });
  return found == known.end() ? nullptr : &*found;
}

std::time_t parse_date(const std::string& text) {
  std::tm utc{};
  return strptime(text.c_str(), "%Y-%m-%dT%H:%M:%SZ", &utc) == nullptr ? 0 : timegm(&utc);
}

double widened(double value, double spread, const Parameter* old) {
  if (old == nullptr || is_busy_value(*old)) return spread;
  const bool has_changed = value > old->value * kChangedFactor || old->value > value * kChangedFactor;
  return has_changed ? spread : std::max(spread, std::fabs(value - old->value));
}

void forget_curves(const Benchmark& benchmark, std::string_view device, const std::vector<Parameter>& known,
                   Changes& changes) {
  for (const Parameter& parameter : known) {
    const auto point = parse_point(parameter.key);
    if (!point) continue;
    const Described described = describe(parameter.key);
    if (described.benchmark != &benchmark) continue;
    const std::string_view wanted = described.output->is_per_device ? device : "";
    if (parameter.device == wanted) changes.forget.push_back({parameter.key, parameter.device});
  }
}

}  // namespace

bool is_busy_value(const Parameter& parameter) {
  return parameter.method.ends_with(kBusyMark);
}

bool is_stale(const Parameter& parameter, std::time_t now) {
  const std::time_t measured = parse_date(parameter.date);
  return is_busy_value(parameter) || measured == 0 || measured + kStaleSeconds < now;
}

bool is_wanted(const Benchmark& benchmark, const std::vector<Parameter>& known, std::string_view device,
               std::time_t now) {
  return std::any_of(benchmark.outputs.begin(), benchmark.outputs.end(), [&](const Output& output) {
    if (output.kind == Kind::kCurve) return false;
    const Parameter* old = find(known, output.key, output.is_per_device ? device : "");
    return old == nullptr || is_stale(*old, now);
  });
}

Changes changes_for(const std::vector<Measured>& all, std::string_view device, bool is_busy,
                    const std::vector<Parameter>& known, std::time_t now) {
  Changes changes;
  for (const Measured& measured : all) {
    if (!measured.findings.empty()) forget_curves(*measured.benchmark, device, known, changes);
    for (const Finding& finding : measured.findings) {
      const Described described = describe(finding.key);
      if (described.output == nullptr || !std::isfinite(finding.value) || finding.value < 0) continue;
      const std::string where(described.output->is_per_device ? device : "");
      const Parameter* old = find(known, finding.key, where);
      if (is_busy && old != nullptr && !is_stale(*old, now)) continue;
      Parameter parameter;
      parameter.key = finding.key;
      parameter.device = where;
      parameter.value = finding.value;
      parameter.unit = described.output->unit;
      if (finding.spread) parameter.spread = widened(finding.value, *finding.spread, old);
      parameter.samples = finding.samples;
      parameter.method = described.output->method;
      if (is_busy) parameter.method += kBusyMark;
      parameter.date = gray::repo::format_date(now);
      changes.set.push_back(std::move(parameter));
    }
  }
  return changes;
}

}  // namespace microbench
