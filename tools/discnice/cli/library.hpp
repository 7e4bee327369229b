// SPDX-License-Identifier: MIT
// library: finds libdiscnice.so, which is preloaded.
#pragma once

#include "toolbox/cli/preload.hpp"

namespace discnice::cli {

using Library = gray::cli::PreloadLibrary;

/// Finds the library: by DISCNICE_LIBRARY, else near this program (../lib, as built; ../lib/discnice), else where the library was
/// installed.
Library find_library();

/// Finds the library that walks stacks. It is in the folder of the plain library.
Library find_profile_library();

}  // namespace discnice::cli
