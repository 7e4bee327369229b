// SPDX-License-Identifier: MIT
// unlimited: a policy that only counts.
#pragma once

#include "tools/discnice/policy/policy.hpp"

namespace discnice::policy {

extern const Policy kUnlimited;

}  // namespace discnice::policy
