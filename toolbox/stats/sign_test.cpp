// SPDX-License-Identifier: MIT
#include "toolbox/stats/sign_test.hpp"

#include <gsl/gsl_cdf.h>

#include <algorithm>
#include <cerrno>

#include "toolbox/stats/summary.hpp"

namespace gray::stats {

base::Result<SignTest> paired_sign_test(const std::vector<double>& first, const std::vector<double>& second) {
  if (first.size() != second.size() || first.empty()) return base::Result<SignTest>::failure(-EINVAL);
  if (!is_finite(first) || !is_finite(second)) return base::Result<SignTest>::failure(-EDOM);
  SignTest test;
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (first[i] < second[i]) {
      ++test.lower_count;
    } else if (first[i] > second[i]) {
      ++test.higher_count;
    } else {
      ++test.tie_count;
    }
  }
  const auto rarer = static_cast<unsigned>(std::min(test.lower_count, test.higher_count));
  const auto pairs = static_cast<unsigned>(test.lower_count + test.higher_count);
  if (pairs > 0) test.p_value = std::min(1.0, 2 * gsl_cdf_binomial_P(rarer, 0.5, pairs));
  return test;
}

}  // namespace gray::stats
