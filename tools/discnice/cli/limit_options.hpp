// SPDX-License-Identifier: MIT
// limit_options: the options that limit a job. `discnice run`, `discnice set` and the file of a person's own defaults accept them.
//
// One table (limit_options.cpp) has the name of each option, the policies that use it, and the function that reads its text. An option that none of
// the active policies uses is refused.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/discnice/contract/grant.hpp"

namespace gray::cli {
class Command;
}

namespace discnice::cli {

/// The texts of the options. The text of an option that was not given is empty.
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
  std::string net;       // the limits of the network
  std::string schedule;  // the limits by time, for a job that starts
};

/// One of the options for limits.
struct LimitOption {
  const char* name;  // without dashes
  std::string LimitTexts::*text;
  bool is_limit;           // the option says how much the job may use, not how
  std::uint32_t policies;  // the policies that use the option, one bit for each policy number
  // Changes the grant. Returns what is wrong with the text; an empty text when nothing is.
  std::string (*read)(const std::string& text, Grant& grant);
};

const std::vector<LimitOption>& limit_options();

/// Returns the error in this text, independently of the other options; an empty text when there is none.
std::string judge_text(const LimitOption& option, const std::string& text);

/// Returns the names of all policies: "rate, idle, ...".
std::string policy_names();

void add_limit_options(gray::cli::Command& app, LimitTexts& texts);

/// The first function: whether any option was given. The second: whether an option was given that limits the job.
bool is_any_given(const LimitTexts& texts);
bool is_limit_given(const LimitTexts& texts);

/// Changes `grant` as the texts ask. A value that no text mentions stays. But a newly chosen policy that needs no rate starts without the limits of
/// the old policy. When neither `grant` nor `texts` has a policy or limit, the policy becomes `nice`. Returns what is wrong, or an empty text.
std::string apply_limits(const LimitTexts& texts, Grant& grant);

/// Names a given option that none of these grants uses, and the policies that use it. Returns an empty text when there is no such option.
std::string find_useless(const LimitTexts& given, const std::vector<Grant>& grants);

/// Returns the limits that a control group cannot enforce: it enforces only a rate. Returns an empty text when it can enforce all limits.
std::string judge_for_group(const LimitTexts& given, const std::vector<Grant>& grants);

/// Returns "limit 5.00 MiB/s, reads 2.00 MiB/s, 100 operations/s", for example, or "no limit". Names the policy as well, unless it is `rate` or
/// `unlimited`.
std::string disk_limits_text(const Grant& grant);

/// Returns "net nice, 1.00 MiB/s", for example; an empty text when the network is not held.
std::string net_limits_text(const Grant& grant);

/// Returns both texts.
std::string limits_text(const Grant& grant);

}  // namespace discnice::cli
