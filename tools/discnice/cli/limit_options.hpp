// SPDX-License-Identifier: MIT
// limit_options: the options that say how a job is held back, shared by `discnice run` and `discnice set`.
#pragma once

#include <optional>
#include <string>

#include "tools/discnice/contract/grant.hpp"

namespace CLI {
class App;
}

namespace discnice::cli {

/// What the command line said; an empty text was not given.
struct LimitTexts {
  std::string policy;
  std::string rate;
  std::string read_rate;
  std::string write_rate;
  std::string operations;
  std::string burst;
  std::string rate_min;
  std::string preemption;
  std::string weight;
  std::string smooth_writes;
};

/// "rate, idle, ...": the names of all policies.
std::string policy_names();

void add_limit_options(CLI::App& app, LimitTexts& texts);

/// Changes `grant` as was asked; what was not mentioned stays, but a policy that is chosen anew starts without the old one's
/// limits. Without any policy or limit in `grant` and `texts` the policy is `nice`. Says what is wrong and returns the exit
/// status, or nothing.
std::optional<int> apply_limits(const LimitTexts& texts, Grant& grant);

/// "limit 5.00 MB/s, reads 2.00 MB/s, 100 operations/s", or "no limit"; with the policy where it says more.
std::string limits_text(const Grant& grant);

}  // namespace discnice::cli
