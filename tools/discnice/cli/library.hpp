// SPDX-License-Identifier: MIT
// library: where libdiscnice.so is, and how it is put into LD_PRELOAD.
#pragma once

#include <string>

namespace discnice::cli {

struct Library {
  std::string path;
  std::string problem;  // one sentence when it can't be preloaded
};

/// Finds the library: DISCNICE_LIBRARY, else beside this program (../lib, as built; ../lib/discnice), else
/// where it was installed.
Library find_library();

/// The same for the library that walks stacks, which lies beside it.
Library find_profile_library();

/// LD_PRELOAD with the library behind what is there already: a sanitizer or an allocator may have to stand
/// first.
std::string preload_value(const std::string& library_path);

/// ASAN_OPTIONS that let AddressSanitizer's runtime come behind our library in programs that are linked to it: it refuses to start behind anybody,
/// for somebody might replace its allocator, and we do not. What was there already stays, and where a library besides ours is preloaded, all of it.
std::string address_sanitizer_options();

}  // namespace discnice::cli
