// SPDX-License-Identifier: MIT
// cache_shape: what the models remember about the cached pages of all files, apart from whether they are cached.
#pragma once

#include "tools/discnice/predictor/folios.hpp"
#include "tools/discnice/predictor/markers.hpp"

namespace discnice::predictor {

/// Zero bytes are an empty object. Any thread, no lock; a fork has a copy of its own.
struct CacheShape {
  // The order of these members matters. The marks that say whether a table is empty are at the end of the first and at the beginning of the second, so they share one page.
  Folios folios;
  Markers markers;
};

}  // namespace discnice::predictor
