// SPDX-License-Identifier: MIT
// shares: divides a rate or a window among those who ask for it, so that nobody could get more without taking from one who has less. Pure.
#pragma once

#include <vector>

namespace netnice {

/// Of each one what it gets: no more than its demand, and together no more than there is.
std::vector<double> shares_of(double all, const std::vector<double>& demands);

}  // namespace netnice
