// SPDX-License-Identifier: MIT
// unlimited: holds nothing back and only counts.
#pragma once

#include "tools/discnice/policy/policy.hpp"

namespace discnice::policy {

extern const Policy kUnlimited;

}  // namespace discnice::policy
