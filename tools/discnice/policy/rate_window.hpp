// SPDX-License-Identifier: MIT
// rate_window: holds a job to R disk bytes a second over a window of N.
#pragma once

#include "tools/discnice/policy/policy.hpp"

namespace discnice::policy {

extern const Policy kRateWindow;

/// The two functions of this policy, for other policies that hold a job to a rate, too (see Policy::admit and Policy::correct).
Decision admit_by_rate(State state, const Grant& grant, std::uint64_t cost_bytes, std::uint64_t now_ns);
State correct_by_rate(State state, const Grant& grant, std::int64_t correction_bytes, std::uint64_t now_ns);

}  // namespace discnice::policy
