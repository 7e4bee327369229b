// SPDX-License-Identifier: MIT
#include "tools/gb-grep/globs.hpp"

#include <cstring>
#include <utility>

#include <fnmatch.h>

namespace gb_grep {
namespace {

bool matches_whole(const std::string& glob, const char* name) {
  return fnmatch(glob.c_str(), name, 0) == 0;
}

bool matches_tail(const std::string& glob, const char* name) {
  if (matches_whole(glob, name)) return true;
  for (const char* slash = std::strchr(name, '/'); slash != nullptr; slash = std::strchr(slash + 1, '/'))
    if (slash[1] != '/' && matches_whole(glob, slash + 1)) return true;
  return false;
}

}  // namespace

void Globs::add(std::string glob, bool is_included) {
  globs_.push_back({std::move(glob), is_included});
}

template <typename Matches>
bool Globs::leave_out(const Matches& matches) const {
  if (globs_.empty()) return false;
  for (auto glob = globs_.rbegin(); glob != globs_.rend(); ++glob)
    if (matches(glob->text)) return !glob->is_included;
  return globs_.front().is_included;
}

bool Globs::leave_out_found(const char* last_part) const {
  return leave_out([last_part](const std::string& glob) { return matches_whole(glob, last_part); });
}

bool Globs::leave_out_named(const char* name) const {
  return leave_out([name](const std::string& glob) { return matches_tail(glob, name); });
}

}  // namespace gb_grep
