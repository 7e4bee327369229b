// SPDX-License-Identifier: MIT
// nice: a policy that runs at full speed while nobody else uses the disk, and backs off while others use it.
#pragma once

#include "tools/discnice/policy/policy.hpp"

namespace discnice::policy {

extern const Policy kNice;

}  // namespace discnice::policy
