// SPDX-License-Identifier: MIT
// report: what was done to a heap, as JSON.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "tools/heapnice/driver.hpp"

namespace heapnice {

/// A whole document, with a newline behind it. Pure.
std::string report_text(const std::vector<std::string>& command, const Account& account, int status);

/// Writes it and closes the stream: 0, or a negative errno.
int write_report(std::FILE* stream, const std::string& text);

}  // namespace heapnice
