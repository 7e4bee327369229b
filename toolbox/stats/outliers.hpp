// SPDX-License-Identifier: MIT
// outliers: which values of a sample stand apart, judged by the modified z-score.
//
// Source: B. Iglewicz and D. Hoaglin, How to Detect and Handle Outliers, ASQC 1993: the distance of a value from the median, divided by the median of these distances, and scaled
// to the standard deviations of a normal sample. Outliers in nearly half of the sample do not disturb the median and the median deviation. They would disturb the mean and the
// standard deviation.
#pragma once

#include <cstddef>
#include <vector>

#include "toolbox/base/result.hpp"

namespace gray::stats {

/// The limit that the authors recommend.
inline constexpr double kOutlierScore = 3.5;

/// Which special case the sample is.
enum class OutlierBasis {
  kMedianDeviation,  ///< The ordinary case.
  kMeanDeviation,  ///< More than half of the values are equal: the mean of the distances stands in for their
                   ///< median.
  kNoSpread,       ///< All values are equal: no score, no outliers.
  kTooFew,         ///< Fewer than three values: none can be said to stand apart.
};

struct Outliers {
  OutlierBasis basis = OutlierBasis::kTooFew;
  std::vector<double> scores;  ///< One a value, signed: above or below the median; all 0 without a basis.
  std::vector<std::size_t> indexes;  ///< Of the values whose score is beyond the limit, ascending.
};

/// Scores the values. `limit` must be above 0, else -EDOM, as with a value that is not finite.
base::Result<Outliers> find_outliers(const std::vector<double>& values, double limit = kOutlierScore);

}  // namespace gray::stats
