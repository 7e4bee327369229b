// SPDX-License-Identifier: MIT
// cache_shape: what the models remember of the pages of all files, in addition to their residency.
#pragma once

#include "tools/discnice/predictor/folios.hpp"
#include "tools/discnice/predictor/markers.hpp"

namespace discnice::predictor {

/// An object of zero bytes is empty. Any thread may use it without a lock. A forked child has a copy of its own.
struct CacheShape {
  // The order matters: the flags that tell that a table is empty are the last bytes of the first table and the first bytes of the second, so that both lie on one page.
  Folios folios;
  Markers markers;
};

}  // namespace discnice::predictor
