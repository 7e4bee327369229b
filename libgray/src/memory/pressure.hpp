// SPDX-License-Identifier: MIT
// pressure: a descriptor that gets ready when memory is scarce.
#pragma once

#include "libgray/src/memory/pools.hpp"
#include "toolbox/base/result.hpp"

namespace gray::memory {

struct PressureSource {
  int fd;
  bool is_readable;  // ready for reading, else out of band
};

/// Of our control group if it tells, else of the host. The caller closes it. -ENOTSUP: nothing tells.
base::Result<PressureSource> open_pressure(const HostAccounts& accounts);

}  // namespace gray::memory
