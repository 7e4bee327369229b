// SPDX-License-Identifier: MIT
// idle: the job uses the disk while nobody else uses it.
#pragma once

#include "tools/discnice/policy/policy.hpp"

namespace discnice::policy {

extern const Policy kIdle;

}  // namespace discnice::policy
