// SPDX-License-Identifier: MIT
// idle: a policy by which the job uses the disk only while nobody else uses it.
#pragma once

#include "tools/discnice/policy/policy.hpp"

namespace discnice::policy {

extern const Policy kIdle;

}  // namespace discnice::policy
