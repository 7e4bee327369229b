// SPDX-License-Identifier: MIT
// correlation: how far two quantities go together, by their ranks (Spearman).
#pragma once

#include <vector>

#include "toolbox/base/result.hpp"

namespace gray::stats {

/// Spearman's rho, -1 to 1: 1 if y never falls while x rises. Equal values share the mean of their ranks.
/// Stands up to outliers and to any monotone change of scale. Fails with -EINVAL for samples of different length or fewer than two pairs, -EDOM for a value that is
/// not finite or a sample without spread (rho is then undefined).
base::Result<double> spearman_correlation(const std::vector<double>& x, const std::vector<double>& y);

}  // namespace gray::stats
