// SPDX-License-Identifier: MIT
// inputs: reads lists of the names to order.
#pragma once

#include <string>

#include "tools/gbp/names.hpp"

namespace gbp {

/// Reads names separated by `separator` (NUL or newline) from a file, or from standard input for "-". A last name without its separator counts. An empty name is an error, but
/// empty lines are skipped. Returns one sentence that says what is wrong, or an empty text.
std::string read_names(const std::string& list_path, char separator, Names& names);

}  // namespace gbp
