// SPDX-License-Identifier: MIT
// report: reports the changes of a heap as JSON.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "tools/heapnice/driver.hpp"

namespace heapnice {

/// A whole JSON document, ended by a newline. Pure.
std::string report_text(const std::vector<std::string>& command, const Account& account, int status);

/// Writes the text to the stream and closes the stream. Returns 0, or a negative errno.
int write_report(std::FILE* stream, const std::string& text);

}  // namespace heapnice
