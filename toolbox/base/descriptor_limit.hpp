// SPDX-License-Identifier: MIT
// descriptor_limit: raises the limit of open files, for programs of this project that hold many files open.
#pragma once

#include <sys/resource.h>

namespace gray::base {

/// Raises this process's limit of open descriptors to the most that the kernel allows. Programs that it starts afterwards inherit that limit. Not for use
/// inside a program that loads a library of this project: such a program may go through all numbers up to the limit, or use select().
inline void allow_many_descriptors() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace gray::base
