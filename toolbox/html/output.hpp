// SPDX-License-Identifier: MIT
// output: writes a page to its file. The file gets the whole page or stays unchanged.
#pragma once

#include <string>

namespace gray::html {

/// Writes `page` to `path` ("-": standard output). A regular file is first written under another name in the same folder and then renamed. So the old file
/// stays if there is no room for the new file. A pipe or device is written directly. No other output may be printed before. Returns the exit status; prints one
/// line if it failed.
[[nodiscard]] int write_page(const std::string& path, const std::string& page);

}  // namespace gray::html
