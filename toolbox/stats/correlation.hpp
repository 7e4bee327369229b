// SPDX-License-Identifier: MIT
// correlation: how strongly two quantities rise and fall together, by their ranks (Spearman).
#pragma once

#include <vector>

#include "toolbox/base/result.hpp"

namespace gray::stats {

/// Spearman's rho, -1 to 1: 1 if y never falls while x rises. Equal values share the mean of their ranks.
/// Hardly changed by outliers, and not changed by a monotone change of scale. Fails with -EINVAL for samples of different length or fewer than two pairs, -EDOM for a value that is
/// not finite or a sample without spread (rho is then undefined).
base::Result<double> spearman_correlation(const std::vector<double>& x, const std::vector<double>& y);

}  // namespace gray::stats
