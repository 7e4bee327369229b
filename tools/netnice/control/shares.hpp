// SPDX-License-Identifier: MIT
// shares: divides a rate or a window among flows that ask for it, so that no flow could get more without taking from a flow that has less (max-min fairness). Pure.
#pragma once

#include <vector>

namespace netnice {

/// The share of each flow: no share exceeds the flow's demand, and the sum of all shares does not exceed `all`.
std::vector<double> shares_of(double all, const std::vector<double>& demands);

}  // namespace netnice
