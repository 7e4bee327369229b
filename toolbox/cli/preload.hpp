// SPDX-License-Identifier: MIT
// preload: finds a library that a launcher has loaded into its command, and says what puts it there.
#pragma once

#include <string>
#include <vector>

namespace gray::cli {

/// Where a library may be.
struct PreloadPlaces {
  const char* variable;      // of the environment; names the library's path. Null: there is none
  const char* file_name;     // in a build tree it lies in ../lib, seen from the folder of this program
  const char* from_program;  // where it is installed, seen from there; right also when the prefix has changed
  const char* installed;     // where it was to be installed
};

struct PreloadLibrary {
  std::string path;
  std::string problem;  // one sentence when the library cannot be preloaded
};

PreloadLibrary find_preload_library(const PreloadPlaces& places);

/// Returns LD_PRELOAD with the libraries added at the end: a sanitizer or an allocator may have to stand first.
std::string preload_value(const std::vector<std::string>& library_paths);

/// Returns the ASAN_OPTIONS for programs that are linked to AddressSanitizer. They let AddressSanitizer's runtime be loaded behind the preload
/// library. By default the runtime refuses to be loaded behind any library, because that library might replace its allocator; ours do
/// not. Options that are set already stay. Nothing is added when LD_PRELOAD is set already.
std::string address_sanitizer_options();

}  // namespace gray::cli
