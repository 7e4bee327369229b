// SPDX-License-Identifier: MIT
// report: what was done to a heap, as JSON.
#pragma once

#include <string>
#include <vector>

#include "tools/heapnice/driver.hpp"

namespace heapnice {

/// A whole document that ends in a newline. Pure.
std::string report_text(const std::vector<std::string>& command, const Account& account, int status);

/// Returns 0, or a negative errno if it could not be written.
int write_report(const std::string& file, const std::string& text);

}  // namespace heapnice
