// SPDX-License-Identifier: MIT
// output: how a page reaches its file: whole, or not at all.
#pragma once

#include <string>

namespace gray::html {

/// Writes `page` to `path` ("-": standard output). A file is written beside its place and renamed, so that the old one stays where there is no room for the new one; what
/// is no regular file (a pipe) is written as it is. Nothing else is printed before it. Returns the status to end with, after one line where it failed.
[[nodiscard]] int write_page(const std::string& path, const std::string& page);

}  // namespace gray::html
