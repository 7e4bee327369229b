// SPDX-License-Identifier: MIT
// quantity: a number of the repository with its unit, as a person reads it.
#pragma once

#include <string>
#include <string_view>

namespace microbench {

/// "86.2 us", "20.0 MiB", "1.20 GiB/s", "0.034". Pure.
std::string format_quantity(double value, std::string_view unit);

}  // namespace microbench
