// SPDX-License-Identifier: MIT
// sign_test: tests, for two programs that run in turn, whether one of them has the lower value more often than chance explains.
//
// The paired sign test assumes nothing about the distributions, only that the pairs are independent. So it suits timings on a host whose speed drifts, where both values of a
// pair are measured under the same conditions (Conover, Practical
// Nonparametric Statistics, 3.4).
#pragma once

#include <cstddef>
#include <vector>

#include "toolbox/base/result.hpp"

namespace gray::stats {

struct SignTest {
  std::size_t lower_count = 0;   ///< Pairs in which the first is lower.
  std::size_t higher_count = 0;  ///< Pairs in which the first is higher.
  std::size_t tie_count = 0;     ///< Equal pairs; they are left out of the test.
  double p_value = 1;  ///< Two-sided: how often chance alone would be as uneven; 1 if all pairs are equal.
};

/// Fails with -EINVAL for samples of different length or without a pair, -EDOM for a value that is not
/// finite.
base::Result<SignTest> paired_sign_test(const std::vector<double>& first, const std::vector<double>& second);

}  // namespace gray::stats
