// SPDX-License-Identifier: MIT
// cache_handle: the struct behind a gb_cache_t, for the other parts of the C interface that take a gb_cache_t.
#pragma once

#include <string>

#include "gray/cache.h"
#include "libgray/src/filecache/detector.hpp"
#include "libgray/src/filecache/host_settings.hpp"

// A gb_cache cannot be copied or moved: its detector holds a function that reads the record in the same struct.
struct gb_cache {
  explicit gb_cache(const gray::filecache::DetectorOptions& given);
  gb_cache(const gb_cache&) = delete;
  gb_cache& operator=(const gb_cache&) = delete;

  [[nodiscard]] struct gb_cache_settings settings_for(const std::string& path);

  gray::filecache::DetectorOptions options;  // as the caller gave them; a unit or time of 0: not given
  std::string memory_path;
  gray::filecache::HostRecord record;
  gray::filecache::Detector detector;
};

namespace gray::api {

/// The options of a detector for which the caller gave none.
filecache::DetectorOptions default_options();

}  // namespace gray::api
