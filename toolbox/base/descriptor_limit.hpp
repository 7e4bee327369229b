// SPDX-License-Identifier: MIT
// descriptor_limit: for programs of ours that hold many files open.
#pragma once

#include <sys/resource.h>

namespace gray::base {

/// Raises this process's limit of open descriptors to what the kernel lets it have; programs it starts from then on inherit that. Not for a host process, which may
/// go through all numbers up to the limit, or use select().
inline void allow_many_descriptors() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace gray::base
