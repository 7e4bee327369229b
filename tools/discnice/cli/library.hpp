// SPDX-License-Identifier: MIT
// library: finds libdiscnice.so and puts it into LD_PRELOAD.
#pragma once

#include <string>

namespace discnice::cli {

struct Library {
  std::string path;
  std::string problem;  // one sentence when the library cannot be preloaded
};

/// Finds the library: by DISCNICE_LIBRARY, else near this program (../lib, as built; ../lib/discnice), else where the library was
/// installed.
Library find_library();

/// Finds the library that walks stacks. It is in the folder of the plain library.
Library find_profile_library();

/// Returns LD_PRELOAD with the library added at the end: a sanitizer or an allocator may have to stand first.
std::string preload_value(const std::string& library_path);

/// Returns the ASAN_OPTIONS for programs that are linked to AddressSanitizer. These options allow the loader to load AddressSanitizer's runtime
/// behind the preload library. By default the runtime refuses to be loaded behind any library, because that library might replace its allocator;
/// libdiscnice.so does not. Options that are set already stay. Nothing is added when LD_PRELOAD is set already.
std::string address_sanitizer_options();

}  // namespace discnice::cli
