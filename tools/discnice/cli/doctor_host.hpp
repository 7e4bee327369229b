// SPDX-License-Identifier: MIT
// doctor_host: tells which parts of discnice work for this user on this host, wherever the files lie.
#pragma once

#include <string>
#include <vector>

#include "tools/discnice/cli/doctor_check.hpp"

namespace discnice::cli {

/// Tries each engine with a file in `folder`, which lies on a disk and which this user can write to. When `folder` is empty, tries only what works
/// without such a folder.
std::vector<Check> check_host(const std::string& folder);

}  // namespace discnice::cli
