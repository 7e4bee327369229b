// SPDX-License-Identifier: MIT
// sign_test: two things are run in turn. Is one of them lower more often than by chance?
//
// The paired sign test assumes nothing about the distributions. It only assumes that the pairs are independent. So it suits timings on a host whose speed drifts, because both
// values of a pair are measured under the same conditions (Conover, Practical
// Nonparametric Statistics, 3.4).
#pragma once

#include <cstddef>
#include <vector>

#include "toolbox/base/result.hpp"

namespace gray::stats {

struct SignTest {
  std::size_t lower_count = 0;   ///< Pairs in which the first is lower.
  std::size_t higher_count = 0;  ///< Pairs in which the first is higher.
  std::size_t tie_count = 0;     ///< Equal pairs; they say nothing and are left out.
  double p_value = 1;  ///< Two-sided: how often chance alone would be as uneven; 1 if all pairs are equal.
};

/// Fails with -EINVAL for samples of different length or without a pair, -EDOM for a value that is not
/// finite.
base::Result<SignTest> paired_sign_test(const std::vector<double>& first, const std::vector<double>& second);

}  // namespace gray::stats
