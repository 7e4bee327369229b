// SPDX-License-Identifier: MIT
// report: reports as JSON what was done to a heap.
#pragma once

#include <string>
#include <vector>

#include "tools/heapnice/driver.hpp"

namespace heapnice {

/// A whole JSON document, ended by a newline. Pure.
std::string report_text(const std::vector<std::string>& command, const Account& account, int status);

/// Writes the report. Returns 0, or a negative errno.
int write_report(const std::string& file, const std::string& text);

}  // namespace heapnice
