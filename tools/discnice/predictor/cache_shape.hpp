// SPDX-License-Identifier: MIT
// cache_shape: what the models remember of the pages of all files besides whether they are there.
#pragma once

#include "tools/discnice/predictor/folios.hpp"
#include "tools/discnice/predictor/markers.hpp"

namespace discnice::predictor {

/// Zero bytes are an empty one. Any thread, no lock; a fork has a copy of its own.
struct CacheShape {
  // In this order: what tells that a table is empty stands at the end of the one and in front of the other, on one page.
  Folios folios;
  Markers markers;
};

}  // namespace discnice::predictor
