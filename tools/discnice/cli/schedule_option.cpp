// SPDX-License-Identifier: MIT
#include "tools/discnice/cli/schedule_option.hpp"

#include <algorithm>
#include <vector>

#include <fmt/core.h>

namespace discnice::cli {

std::vector<Grant> possible_grants(const Grant& grant, const policy::Schedule& schedule) {
  std::vector<Grant> grants;
  if (!policy::is_always_said(schedule)) grants.push_back(grant);
  for (unsigned i = 0; i < schedule.count; ++i)
    grants.push_back(policy::scheduled(grant, &schedule.entries[i]));
  return grants;
}

policy::Schedule schedule_of(const LimitTexts& texts) {
  return texts.schedule.empty() ? policy::Schedule{}
                                : policy::parse_schedule(texts.schedule.data(), texts.schedule.size());
}

std::string judge_schedule(const Grant& grant, const policy::Schedule& schedule, const LimitTexts& given) {
  const bool is_base_said = !given.rate.empty() || !given.policy.empty();
  if (is_base_said && policy::is_always_said(schedule))
    return fmt::format("{} never holds: --schedule says what holds at every time of the week",
                       given.rate.empty() ? "--policy" : "--rate");
  const bool is_net_always_said =
      policy::is_always_said(schedule) && std::all_of(schedule.entries, schedule.entries + schedule.count,
                                                      [](const auto& entry) { return entry.has_net; });
  if (!given.net.empty() && is_net_always_said)
    return "--net never holds: --schedule says for every time of the week how the network is held";
  return find_useless(given, possible_grants(grant, schedule));
}

}  // namespace discnice::cli
