// SPDX-License-Identifier: MIT
// output: writes a page to its file as a whole, or not at all.
#pragma once

#include <string>

namespace gray::html {

/// Writes `page` to `path`; "-" is standard output. A file is first written under another name beside it and then renamed. So the old file stays if there is no space for the new
/// one. Anything but a regular file, such as a pipe, is written directly. Nothing else is printed before. Returns the exit status, after one line that says why if it failed.
[[nodiscard]] int write_page(const std::string& path, const std::string& page);

}  // namespace gray::html
