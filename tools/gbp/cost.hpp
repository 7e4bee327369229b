// SPDX-License-Identifier: MIT
// cost: what is known of one file before it is read: how much of it is cached, and where it lies.
#pragma once

#include <string>
#include <vector>

#include <gray/cache.h>
#include <gray/layout.h>

namespace gbp {

/// One input. `position` is its place in the input, which ties keep.
struct File {
  std::string path;
  std::size_t position = 0;
  gb_status_t error = 0;  // negative errno: it could not be looked at
  gb_cache_report cache{sizeof(gb_cache_report), 0, -1, 0, 0, GB_BACKEND_NONE};
  gb_layout_place place{sizeof(gb_layout_place), 0, 0, 0, 0, 0};
};

/// What to look at.
struct Wanted {
  bool is_cache_wanted = true;
  bool is_layout_wanted = true;
  gb_backend_t backend = GB_BACKEND_AUTO;
};

/// Looks at each path. A file that can't be looked at has `error` set; the others are unaffected.
std::vector<File> look_at(const std::vector<std::string>& paths, const Wanted& wanted);

}  // namespace gbp
