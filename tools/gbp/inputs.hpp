// SPDX-License-Identifier: MIT
// inputs: the names to order, from the command line and from lists.
#pragma once

#include <string>
#include <vector>

namespace gbp {

/// Names separated by NUL bytes from a file, or from standard input for "-". A last name without its NUL
/// counts; an empty name is an error. Returns one sentence on what is wrong, or an empty text.
std::string read_names(const std::string& list_path, std::vector<std::string>& names);

}  // namespace gbp
