// SPDX-License-Identifier: MIT
// unlimited: accounting only.
#pragma once

#include "tools/discnice/policy/policy.hpp"

namespace discnice::policy {

extern const Policy kUnlimited;

}  // namespace discnice::policy
