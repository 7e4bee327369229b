// SPDX-License-Identifier: MIT
// nice: full speed while the disk is otherwise idle, backing off when it is not.
#pragma once

#include "tools/discnice/policy/policy.hpp"

namespace discnice::policy {

extern const Policy kNice;

}  // namespace discnice::policy
