// SPDX-License-Identifier: MIT
// correlation: how far two quantities go together, by their ranks (Spearman).
#pragma once

#include <vector>

#include "toolbox/base/result.hpp"

namespace gray::stats {

/// Spearman's rho, from -1 to 1: 1 if y never falls while x rises. Equal values get the mean of their ranks. Outliers and monotone changes of scale do not disturb it. Fails with
/// -EINVAL for samples of different length or fewer than two pairs. Fails with -EDOM for a value that is not finite, or for a sample without spread, because rho is then
/// undefined.
base::Result<double> spearman_correlation(const std::vector<double>& x, const std::vector<double>& y);

}  // namespace gray::stats
