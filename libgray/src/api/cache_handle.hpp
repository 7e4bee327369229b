// SPDX-License-Identifier: MIT
// cache_handle: the object behind a gb_cache_t, for the other parts of the C interface that take one.
#pragma once

#include <string>

#include "gray/cache.h"
#include "libgray/src/filecache/detector.hpp"
#include "libgray/src/filecache/host_settings.hpp"

// The detector holds a function that reads the record beside it, so a detector must not be moved.
struct gb_cache {
  explicit gb_cache(const gray::filecache::DetectorOptions& given);
  gb_cache(const gb_cache&) = delete;
  gb_cache& operator=(const gb_cache&) = delete;

  [[nodiscard]] struct gb_cache_settings settings_for(const std::string& path);

  gray::filecache::DetectorOptions options;  // as asked for; a unit or time of 0: not asked for
  std::string memory_path;
  gray::filecache::HostRecord record;
  gray::filecache::Detector detector;
};

namespace gray::api {

/// The settings of a detector without options.
filecache::DetectorOptions default_options();

}  // namespace gray::api
