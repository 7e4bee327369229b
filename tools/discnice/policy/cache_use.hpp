// SPDX-License-Identifier: MIT
// cache_use: whether a job lets go of the pages that it brought into the page cache.
#pragma once

#include "tools/discnice/contract/grant.hpp"

namespace discnice::policy {

/// True when what it has used once goes: where that is asked for, as it makes a copy of many small files slower.
inline bool lets_go_of_cache(const Grant& grant) {
  return grant.cache == CacheUse::neutral || grant.cache == CacheUse::own;
}

}  // namespace discnice::policy
