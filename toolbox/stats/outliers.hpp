// SPDX-License-Identifier: MIT
// outliers: finds the outliers of a sample by the modified z-score.
//
// Source: B. Iglewicz and D. Hoaglin, How to Detect and Handle Outliers, ASQC 1993: the distance from the
// median over the median of these distances, scaled so that it reads like standard deviations of a normal
// sample. Median and median deviation stay useful even if nearly half of the sample are outliers. Mean and standard deviation do not
// stay useful then.
#pragma once

#include <cstddef>
#include <vector>

#include "toolbox/base/result.hpp"

namespace gray::stats {

/// The limit that the authors recommend.
inline constexpr double kOutlierScore = 3.5;

/// The method that was used for the scores.
enum class OutlierBasis {
  kMedianDeviation,  ///< The ordinary case.
  kMeanDeviation,  ///< More than half of the values are equal: the mean of the distances stands in for their
                   ///< median.
  kNoSpread,       ///< All values are equal: no score, no outliers.
  kTooFew,         ///< Fewer than three values: no value can be called an outlier.
};

struct Outliers {
  OutlierBasis basis = OutlierBasis::kTooFew;
  /// One for each value, positive above the median and negative below; all 0 without a basis.
  std::vector<double> scores;
  std::vector<std::size_t> indexes;  ///< Indexes of the values whose score is beyond the limit, ascending.
};

/// Scores the values. `limit` must be above 0, else -EDOM, as with a value that is not finite.
base::Result<Outliers> find_outliers(const std::vector<double>& values, double limit = kOutlierScore);

}  // namespace gray::stats
