// SPDX-License-Identifier: MIT
// cache_use: whether a job drops the pages that it brought into the page cache.
#pragma once

#include "tools/discnice/contract/grant.hpp"
#include "tools/discnice/policy/registry.hpp"

namespace discnice::policy {

/// True if pages that were used once are dropped. This is done if the user asks for it, and by default with the policies that give way to others.
inline bool lets_go_of_cache(const Grant& grant) {
  if (grant.cache == CacheUse::automatic) return policy_by_id(grant.policy_id).hold != nullptr;
  return grant.cache == CacheUse::neutral || grant.cache == CacheUse::own;
}

}  // namespace discnice::policy
