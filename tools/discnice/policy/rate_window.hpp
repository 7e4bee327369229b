// SPDX-License-Identifier: MIT
// rate_window: holds a job to R disk bytes a second over a window of N.
#pragma once

#include "tools/discnice/policy/policy.hpp"

namespace discnice::policy {

extern const Policy kRateWindow;

}  // namespace discnice::policy
