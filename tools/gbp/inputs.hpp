// SPDX-License-Identifier: MIT
// inputs: reads lists of the names to order.
#pragma once

#include <string>

#include "tools/gbp/names.hpp"

namespace gbp {

/// Names separated by `separator` (NUL, or newline) from a file, or from standard input for "-". A last name without its
/// separator counts; an empty name is an error, but empty lines between newlines are passed over. Returns one sentence
/// on what is wrong, or an empty text.
std::string read_names(const std::string& list_path, char separator, Names& names);

}  // namespace gbp
