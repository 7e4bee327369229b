// SPDX-License-Identifier: MIT
// descriptor_limit: for programs of this project that hold many files open.
#pragma once

#include <sys/resource.h>

namespace gray::base {

/// Raises this process's limit of open descriptors to the highest value that the kernel allows. Programs that it starts later inherit the limit. Do not use this in a host
/// process: it may loop over all numbers up to the limit, or use select().
inline void allow_many_descriptors() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace gray::base
