// SPDX-License-Identifier: MIT
// readahead_rules: finds which rules the kernel's read-ahead follows, by a few reads whose windows differ from rule to rule.
//
// Knowledge assumed: the rules of toolbox/base/readahead_rules.hpp. Output observed: which pages are in memory after reads that were chosen so that each rule leaves a different
//   number of pages. Inference drawn: the rule. The kernel's version is not used. What breaks it: another program that reads the file; a kernel that follows none of the known
//   rules, whose answers then match no known kernel.
#pragma once

#include "microbench/estimate/readahead.hpp"
#include "toolbox/base/readahead_rules.hpp"

namespace microbench::estimate {

/// The operations that observe_readahead_rules() needs beyond those of observe_readahead().
class RulesSubject : public ReadaheadSubject {
 public:
  /// Reads `count` pages in one call through the open file.
  virtual void read(std::uint64_t first, std::uint64_t count) = 0;
  /// Opens the file anew, and drops no pages.
  virtual void open_anew() = 0;
  /// Fetches these pages and no others, through another descriptor.
  virtual void bring_in(std::uint64_t first, std::uint64_t count) = 0;
};

struct ReadaheadRulesFound {
  gray::base::ReadaheadRules rules = 0;
  bool are_told = false;  ///< False if the window or the file is too small for the rules to show.
};

/// Reads through `subject`. No other program may read the file at the same time. `window_pages_max` is the largest window that observe_readahead() has found.
ReadaheadRulesFound observe_readahead_rules(RulesSubject& subject, std::uint64_t window_pages_max);

}  // namespace microbench::estimate
