// SPDX-License-Identifier: MIT
#include "toolbox/cli/preload.hpp"

#include <cstdlib>
#include <filesystem>
#include <system_error>

#include <fmt/core.h>
#include <unistd.h>

namespace gray::cli {
namespace {

std::vector<std::string> candidates(const PreloadPlaces& places) {
  const char* named = places.variable == nullptr ? nullptr : std::getenv(places.variable);
  if (named != nullptr && *named != '\0') return {named};
  std::vector<std::string> found;
  std::error_code error;
  const auto own = std::filesystem::read_symlink("/proc/self/exe", error);
  if (!error) {
    const auto folder = own.parent_path();
    found.push_back((folder.parent_path() / "lib" / places.file_name).string());
    found.push_back((folder / places.from_program).string());
  }
  found.emplace_back(places.installed);
  return found;
}

}  // namespace

PreloadLibrary find_preload_library(const PreloadPlaces& places) {
  const std::vector<std::string> all = candidates(places);
  for (const std::string& place : all) {
    if (access(place.c_str(), R_OK) != 0) continue;
    std::error_code error;
    std::string path = std::filesystem::absolute(place, error).lexically_normal().string();
    if (path.find_first_of(": \t\n") == std::string::npos) return {path, ""};
    return {path,
            fmt::format("the path of '{}' holds a blank or a colon, which LD_PRELOAD cannot carry: move it",
                        path)};
  }
  std::string problem = fmt::format("cannot find {} (looked for '{}')", places.file_name, all.front());
  if (places.variable != nullptr) problem += fmt::format(": set {} to its path", places.variable);
  return {"", problem};
}

std::string preload_value(const std::vector<std::string>& library_paths) {
  const char* present = std::getenv("LD_PRELOAD");
  std::string value(present == nullptr ? "" : present);
  for (const std::string& path : library_paths) {
    if (value.find(path) != std::string::npos) continue;
    if (!value.empty()) value += ':';
    value += path;
  }
  return value;
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

}  // namespace gray::cli
