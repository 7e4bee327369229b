// SPDX-License-Identifier: MIT
// record: what of a host is known already, what is missing or stale, and what a run adds.
#pragma once

#include <ctime>
#include <string>
#include <string_view>
#include <vector>

#include "microbench/benchmark.hpp"
#include "microbench/runner.hpp"
#include "toolbox/repo/parameter.hpp"
#include "toolbox/repo/parameter_file.hpp"

namespace microbench {

/// A host changes in ways its fingerprint does not show: a fuller disk, an older one, other neighbours.
inline constexpr std::time_t kStaleSeconds = 180 * 24 * 3600;

/// Stands behind the method of what was measured while others used the host.
inline constexpr std::string_view kBusyMark = "+busy";

/// Measured on a busy host: a value, until a better one comes.
bool is_busy_value(const gray::repo::Parameter& parameter);

/// To be measured again: busy, too old, or of a date that cannot be read. Pure.
bool is_stale(const gray::repo::Parameter& parameter, std::time_t now);

/// Whether a run has something to do for `benchmark`: one of its numbers is missing or stale. Those of the
/// host as a whole count wherever they were measured. Pure.
bool is_wanted(const Benchmark& benchmark, const std::vector<gray::repo::Parameter>& known,
               std::string_view device, std::time_t now);

/// What a run found, as changes of the record: all of it or, where a finding is no finite number, without
/// that. The points of a curve that is measured anew replace the whole old curve. A value that was measured on a busy host does not replace a value from a quiet host. Where the
/// old value lies outside the new spread, the spread grows to it: two runs that disagree are the best evidence of how far a third may. Pure.
gray::repo::Changes changes_for(const std::vector<Measured>& all, std::string_view device, bool is_busy,
                                const std::vector<gray::repo::Parameter>& known, std::time_t now);

}  // namespace microbench
