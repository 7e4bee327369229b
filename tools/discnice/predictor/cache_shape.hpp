// SPDX-License-Identifier: MIT
// cache_shape: what the models remember of the pages of all files, in addition to their residency.
#pragma once

#include "tools/discnice/predictor/folios.hpp"
#include "tools/discnice/predictor/markers.hpp"

namespace discnice::predictor {

/// An object of zero bytes is empty. Any thread may use it without a lock. A forked child has a copy of its own.
struct CacheShape {
  // The order of the tables matters. The flags that mark a table as empty are the last bytes of the first table and the first bytes of the second table. So
  // both flags lie on one page.
  Folios folios;
  Markers markers;
};

}  // namespace discnice::predictor
