// SPDX-License-Identifier: MIT
// cache_use: tells whether a job drops the pages that it brought into the page cache.
#pragma once

#include "tools/discnice/contract/grant.hpp"
#include "tools/discnice/policy/registry.hpp"

namespace discnice::policy {

/// True when the job drops pages that it has used once. The user can ask for it, and policies that give way to others do it by themselves.
inline bool lets_go_of_cache(const Grant& grant) {
  if (grant.cache == CacheUse::automatic) return policy_by_id(grant.policy_id).hold != nullptr;
  return grant.cache == CacheUse::neutral || grant.cache == CacheUse::own;
}

}  // namespace discnice::policy
