// SPDX-License-Identifier: MIT
#include "tools/discnice/cli/library.hpp"

#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <vector>

#include <dlfcn.h>
#include <fmt/core.h>
#include <unistd.h>

#include "tools/discnice/protocol/profile_records.hpp"

namespace discnice::cli {
namespace {

std::vector<std::string> candidates() {
  if (const char* named = std::getenv("DISCNICE_LIBRARY"); named != nullptr && *named != '\0') return {named};
  std::vector<std::string> places;
  std::error_code error;
  const auto own = std::filesystem::read_symlink("/proc/self/exe", error);
  if (!error) {
    const auto folder = own.parent_path();
    places.push_back((folder.parent_path() / "lib" / "libdiscnice.so").string());  // in a build tree
    // The installed library, also when the prefix has changed.
    places.push_back((folder / GRAY_LIBRARY_FROM_PROGRAM).string());
  }
  places.emplace_back(GRAY_INSTALLED_LIBRARY);
  return places;
}

}  // namespace

Library find_library() {
  const std::vector<std::string> places = candidates();
  for (const std::string& place : places) {
    if (access(place.c_str(), R_OK) != 0) continue;
    std::error_code error;
    std::string path = std::filesystem::absolute(place, error).lexically_normal().string();
    if (path.find_first_of(": \t\n") == std::string::npos) return {path, ""};
    return {path,
            fmt::format("the path of '{}' holds a blank or a colon, which LD_PRELOAD cannot carry: move it",
                        path)};
  }
  return {"", fmt::format("cannot find libdiscnice.so (looked for '{}'): set DISCNICE_LIBRARY to its path",
                          places.front())};
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

std::string preload_value(const std::string& library_path) {
  const char* present = std::getenv("LD_PRELOAD");
  if (present == nullptr || *present == '\0') return library_path;
  std::string before(present);
  if (before.find(library_path) != std::string::npos) return before;
  return before + ":" + library_path;
}

std::string address_sanitizer_options() {
  constexpr char kOption[] = "verify_asan_link_order";
  const char* present = std::getenv("ASAN_OPTIONS");
  const std::string before(present != nullptr ? present : "");
  const char* preloaded = std::getenv("LD_PRELOAD");
  const bool is_alone = preloaded == nullptr || *preloaded == '\0';
  if (!is_alone || before.find(kOption) != std::string::npos) return before;
  return fmt::format("{}{}{}=0", before, before.empty() ? "" : ":", kOption);
}

}  // namespace discnice::cli
