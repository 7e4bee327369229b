// SPDX-License-Identifier: MIT
// schedule_option: the option --schedule, and whether the other limits apply at any time of the week.
#pragma once

#include <string>
#include <vector>

#include "tools/discnice/cli/limit_options.hpp"
#include "tools/discnice/contract/grant.hpp"
#include "tools/discnice/policy/schedule.hpp"

namespace discnice::cli {

/// Returns the schedule in these texts, which apply_limits() has found right. Returns an empty schedule when the texts have none.
policy::Schedule schedule_of(const LimitTexts& texts);

/// Returns all grants that may be in force at some time of the week.
std::vector<Grant> possible_grants(const Grant& grant, const policy::Schedule& schedule);

/// Returns what is wrong with the limits as a whole: a limit that is never in force, or an option that no policy uses. Returns an empty text when
/// nothing is wrong.
std::string judge_schedule(const Grant& grant, const policy::Schedule& schedule, const LimitTexts& given);

}  // namespace discnice::cli
