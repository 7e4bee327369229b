// SPDX-License-Identifier: MIT
// report: what was done to a heap, as JSON.
#pragma once

#include <string>
#include <vector>

#include "tools/heapnice/driver.hpp"

namespace heapnice {

/// A whole document, with a newline behind it. Pure.
std::string report_text(const std::vector<std::string>& command, const Account& account, int status);

/// 0, or a negative errno: it could not be written.
int write_report(const std::string& file, const std::string& text);

}  // namespace heapnice
