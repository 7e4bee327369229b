// SPDX-License-Identifier: MIT
// limit_options: the options that say how a job is held back: of `discnice run`, of `discnice set`, and in a person's own defaults.
//
// One table (limit_options.cpp) says of each how it is called, which policies use it and how its text is read. An option that the
// policies at work do not use is refused by that table.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/discnice/contract/grant.hpp"

namespace gray::cli {
class Command;
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
  std::string cache;
  std::string net;       // of the network, beside the disk
  std::string schedule;  // limits by time; of a job that starts
};

/// One of these options.
struct LimitOption {
  const char* name;  // without dashes
  std::string LimitTexts::*text;
  bool is_limit;           // says how much the job may use, rather than how
  std::uint32_t policies;  // that use it, a bit for each number
  std::string (*read)(const std::string& text,
                      Grant& grant);  // what is wrong with the text; else changes the grant
};

const std::vector<LimitOption>& limit_options();

/// What is wrong with this text, whatever else is said; empty when nothing is.
std::string judge_text(const LimitOption& option, const std::string& text);

/// "rate, idle, ...": the names of all policies.
std::string policy_names();

void add_limit_options(gray::cli::Command& app, LimitTexts& texts);

/// Whether any option was given; whether one was that says how much.
bool is_any_given(const LimitTexts& texts);
bool is_limit_given(const LimitTexts& texts);

/// Changes `grant` as was asked; what was not mentioned stays, but a policy that is chosen anew starts without the old one's
/// limits. Without any policy or limit in `grant` and `texts` the policy is `nice`. Says what is wrong, or nothing.
std::string apply_limits(const LimitTexts& texts, Grant& grant);

/// Names an option of those given that none of these grants uses, and says whose it is; empty when there is none.
std::string find_useless(const LimitTexts& given, const std::vector<Grant>& grants);

/// What of this a control group cannot hold: it holds a rate and nothing else. Empty when it can.
std::string judge_for_group(const LimitTexts& given, const std::vector<Grant>& grants);

/// "limit 5.00 MiB/s, reads 2.00 MiB/s, 100 operations/s", or "no limit"; with the policy where it says more.
std::string disk_limits_text(const Grant& grant);

/// "net nice, 1.00 MiB/s"; empty where the network is not held.
std::string net_limits_text(const Grant& grant);

/// Both.
std::string limits_text(const Grant& grant);

}  // namespace discnice::cli
