// SPDX-License-Identifier: MIT
// readahead_rules: finds the rules of the kernel's read-ahead by a few reads whose windows differ from rule to rule.
//
// Knowledge assumed: the rules of toolbox/base/readahead_rules.hpp. Output observed: which pages are in memory after reads that were chosen so that
//   each rule leaves another number of them. Inference drawn: the rule. The kernel's version is not asked. What breaks it: another program that reads the file; and a kernel that
//   follows none of the rules, so that its answers match no known kernel.
#pragma once

#include "microbench/estimate/readahead.hpp"
#include "toolbox/base/readahead_rules.hpp"

namespace microbench::estimate {

/// The operations that the reads below need, in addition to those of observe_readahead().
class RulesSubject : public ReadaheadSubject {
 public:
  /// Reads `count` pages in one call through the open file.
  virtual void read(std::uint64_t first, std::uint64_t count) = 0;
  /// Opens the file anew, and drops no pages.
  virtual void open_anew() = 0;
  /// Brings these pages into memory, and no others, in another way.
  virtual void bring_in(std::uint64_t first, std::uint64_t count) = 0;
};

struct ReadaheadRulesFound {
  gray::base::ReadaheadRules rules = 0;
  bool are_told = false;  ///< Not where the window or the file is too small for them to show.
};

/// Reads through `subject`, which nobody else may read meanwhile. `window_pages_max` is the largest window, as observe_readahead() found it.
ReadaheadRulesFound observe_readahead_rules(RulesSubject& subject, std::uint64_t window_pages_max);

}  // namespace microbench::estimate
