// SPDX-License-Identifier: MIT
#include "tools/discnice/cli/schedule_option.hpp"

#include <vector>

#include <fmt/format.h>

#include "toolbox/cli/diagnostics.hpp"

namespace discnice::cli {

std::vector<Grant> possible_grants(const Grant& grant, const policy::Schedule& schedule) {
  std::vector<Grant> grants;
  if (!policy::is_always_said(schedule)) grants.push_back(grant);
  for (unsigned i = 0; i < schedule.count; ++i)
    grants.push_back(policy::scheduled(grant, &schedule.entries[i]));
  return grants;
}

std::optional<int> read_schedule(const std::string& text, policy::Schedule& schedule) {
  if (text.empty()) return std::nullopt;
  schedule = policy::parse_schedule(text.data(), text.size());
  if (schedule.problem == nullptr) return std::nullopt;
  return gray::cli::fail_usage("--schedule: {}; at '{}'", schedule.problem,
                               text.substr(schedule.problem_position));
}

std::string judge_schedule(const Grant& grant, const policy::Schedule& schedule, const LimitTexts& given) {
  const bool is_base_said = !given.rate.empty() || !given.policy.empty();
  if (is_base_said && policy::is_always_said(schedule))
    return fmt::format("{} never holds: --schedule says what holds at every time of the week",
                       given.rate.empty() ? "--policy" : "--rate");
  return find_useless(given, possible_grants(grant, schedule));
}

}  // namespace discnice::cli
