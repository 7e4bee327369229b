// SPDX-License-Identifier: MIT
// doctor_host: what of discnice works for this user on this host, wherever the files lie.
#pragma once

#include <string>
#include <vector>

#include "tools/discnice/cli/doctor_check.hpp"

namespace discnice::cli {

/// Tries each engine in `folder`, where this user can write to a disk. Without one (empty), as far as that goes.
std::vector<Check> check_host(const std::string& folder);

}  // namespace discnice::cli
