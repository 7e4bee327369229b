// SPDX-License-Identifier: MIT
// record: decides which values of a host are known, missing or stale, and which changes a run makes to the record.
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

/// A value older than this is stale. A host changes in ways that its fingerprint does not show: a fuller disk, an older disk, other virtual machines on the
/// same hardware.
inline constexpr std::time_t kStaleSeconds = 180 * 24 * 3600;

/// This mark is appended to the method of a value that was measured while other programs used the host.
inline constexpr std::string_view kBusyMark = "+busy";

/// Whether the value was measured on a busy host. It is used until there is a better value.
bool is_busy_value(const gray::repo::Parameter& parameter);

/// Whether the value should be measured again: it is a busy value, too old, or has an unreadable date. Pure.
bool is_stale(const gray::repo::Parameter& parameter, std::time_t now);

/// Whether a run should run `benchmark`, because one of its numbers is missing or stale. Numbers of the host as a whole count on whichever device they were measured. Pure.
bool is_wanted(const Benchmark& benchmark, const std::vector<gray::repo::Parameter>& known,
               std::string_view device, std::time_t now);

/// The results of a run as changes of the record. A result that is not a finite number is left out. The points of a newly measured curve replace the whole old curve. A busy
/// value replaces only a stale value. If the old value lies outside the new spread, the spread is widened to include it, because two runs that disagree show how far a third run
/// may differ. Pure.
gray::repo::Changes changes_for(const std::vector<Measured>& all, std::string_view device, bool is_busy,
                                const std::vector<gray::repo::Parameter>& known, std::time_t now);

}  // namespace microbench
