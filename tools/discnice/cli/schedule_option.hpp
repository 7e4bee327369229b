// SPDX-License-Identifier: MIT
// schedule_option: --schedule, and whether what else was said holds at any time.
#pragma once

#include <string>
#include <vector>

#include "tools/discnice/cli/limit_options.hpp"
#include "tools/discnice/contract/grant.hpp"
#include "tools/discnice/policy/schedule.hpp"

namespace discnice::cli {

/// What the schedule among these texts says, which apply_limits() has found right; none where there is none.
policy::Schedule schedule_of(const LimitTexts& texts);

/// All that may hold at some time of the week.
std::vector<Grant> possible_grants(const Grant& grant, const policy::Schedule& schedule);

/// What is wrong with the limits as a whole: one that never holds, an option that nothing uses. Empty when nothing is.
std::string judge_schedule(const Grant& grant, const policy::Schedule& schedule, const LimitTexts& given);

}  // namespace discnice::cli
