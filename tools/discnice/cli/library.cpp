// SPDX-License-Identifier: MIT
#include "tools/discnice/cli/library.hpp"

#include <filesystem>

#include <dlfcn.h>
#include <fmt/core.h>
#include <unistd.h>

#include "tools/discnice/protocol/profile_records.hpp"

namespace discnice::cli {

Library find_library() {
  return gray::cli::find_preload_library(
      {"DISCNICE_LIBRARY", "libdiscnice.so", GRAY_LIBRARY_FROM_PROGRAM, GRAY_INSTALLED_LIBRARY});
}

Library find_profile_library() {
  const Library plain = find_library();
  if (!plain.problem.empty()) return plain;
  const std::string path =
      (std::filesystem::path(plain.path).parent_path() / "libdiscnice-profile.so").string();
  if (access(path.c_str(), R_OK) == 0) {
    if (dlopen(protocol::kUnwindLibrary, RTLD_LAZY) != nullptr) return {path, ""};
    return {path, fmt::format("there is no '{}', which --profile needs to walk stacks: install libunwind",
                              protocol::kUnwindLibrary)};
  }
  return {
      path,
      fmt::format("there is no '{}', which --profile needs: build with libunwind (GRAY_WITH_UNWIND)", path)};
}

}  // namespace discnice::cli
